import type { Express, Response } from 'express';
import { securityHeaders } from '../security-headers.js';
import type { NodeResponse } from './node-response.js';

/**
 * Gives the app's responses a `json` that is one write: status, headers and body together, with no ETag, no freshness
 * check and no settings looked up. Whatever calls `response.json`, ts-rest and the error reply among them, answers
 * that way, and with the security headers and the request id. Headers set before stay.
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
 * Writes heads that have some headers in common. Node checks and joins each header of each head; these, and the request
 * id, are put as they stand behind what Node has written of the others. Where headers were set before, Node gets all, to
 * compare them.
 *
 * @returns what takes a response, a request id of which no character needs a check, and the length of the body in bytes
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
