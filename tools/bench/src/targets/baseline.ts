import { createServer } from 'node:http';
import { settings } from './settings.js';

/** The baseline: node:http parses the JSON and replies. Checks no token, validates nothing, and stores nothing. */
createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const { name, tag } = JSON.parse(text) as { name: string; tag?: string };
    const body = JSON.stringify({ name, tag });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
}).listen(settings);
