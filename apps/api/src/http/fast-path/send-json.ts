import type { Express, Response } from 'express';
import { securityHeaders } from '../security-headers.js';
import type { NodeResponse } from './node-response.js';

/**
 * Replaces `response.json` of the app by one that sends status, headers and body in one write, without the ETag, freshness
 * check and settings of Express. All JSON replies, those of ts-rest and of the error handler among them, go through it, and
 * get the security headers and the request id. Headers set before stay.
 */
export function sendJson(app: Express): void {
  const writeHead = headWriter({ 'Content-Type': 'application/json; charset=utf-8', ...securityHeaders() });

  app.response.json = function json(this: Response, body: unknown) {
    const text = JSON.stringify(body);
    writeHead(this, this.req.id, Buffer.byteLength(text));
    this.end(text);
    return this;
  };
}

/**
 * Creates a function that writes the head of a response. Node.js validates and joins each header of each head; the common
 * ones and the request id are appended as text to the head that Node.js has written. Where headers were set before, Node.js
 * gets all of them, since the same header may be among them. The request id must be valid in a header.
 */
function headWriter(common: Readonly<Record<string, string>>) {
  const commonHeaders = Object.entries(common);
  const commonLines = commonHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('');

  return function writeHead(response: Response & NodeResponse, requestId: string, bodyLength: number): void {
    const { statusCode, _header, _headerSent } = response;
    const length = ['Content-Length', String(bodyLength)];
    if (_header !== null || _headerSent !== false || response.getHeaderNames().length > 0) {
      response.writeHead(statusCode, [...commonHeaders.flat(), 'X-Request-Id', requestId, ...length]);
      return;
    }
    response.writeHead(statusCode, length);
    const written = String(response._header).slice(0, -emptyLine.length);
    response._header = `${written}${commonLines}X-Request-Id: ${requestId}\r\n${emptyLine}`;
  };
}

const emptyLine = '\r\n';
