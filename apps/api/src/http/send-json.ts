import type { Express, Response } from 'express';
import type { NodeResponse } from './node-response.js';
import { securityHeaders } from './security-headers.js';

/**
 * Gives the app's responses a `json` that is one write: status, headers and body together, with no ETag, no freshness
 * check and no settings looked up. Whatever calls `response.json`, ts-rest and the error reply among them, answers
 * that way, and with the security headers and the request id. Headers set before stay.
 */
export function sendJsonAtOnce(app: Express): void {
  const writeHead = headWriter({ 'Content-Type': 'application/json; charset=utf-8', ...securityHeaders() });

  app.response.json = function json(this: Response, body: unknown) {
    const text = JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    writeHead(this, ['X-Request-Id', this.req.id, 'Content-Length', length]);
    this.end(text);
    return this;
  };
}

/**
 * Writes heads that have some headers in common. Node checks and joins each header of each head; these are put as
 * they stand behind what Node has written of the others. Where headers were set before, Node gets all, to compare them.
 *
 * @returns what takes a response and its further headers, names and values in turns
 */
function headWriter(common: Readonly<Record<string, string>>) {
  const headers = Object.entries(common).flat();
  const lines = Object.entries(common).map(([name, value]) => `${name}: ${value}\r\n`);
  const ending = lines.join('') + emptyLine;

  return function writeHead(response: Response & NodeResponse, others: string[]): void {
    const { statusCode, _header, _headerSent } = response;
    if (_header !== null || _headerSent !== false || response.getHeaderNames().length > 0) {
      response.writeHead(statusCode, [...headers, ...others]);
      return;
    }
    response.writeHead(statusCode, others);
    response._header = String(response._header).slice(0, -emptyLine.length) + ending;
  };
}

const emptyLine = '\r\n';
