import type { Express, Response } from 'express';
import { securityHeaders } from './security-headers.js';

/**
 * Gives the app's responses a `json` that is one write: status, headers and body together, with no ETag, no freshness
 * check and no settings looked up. Whatever calls `response.json`, ts-rest and the error reply among them, answers
 * that way, and with the security headers and the request id. Headers set before stay.
 */
export function sendJsonAtOnce(app: Express): void {
  const head = [
    'Content-Type',
    'application/json; charset=utf-8',
    ...Object.entries(securityHeaders()).flat(),
  ];

  app.response.json = function json(this: Response, body: unknown) {
    const text = JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    this.writeHead(this.statusCode, [...head, 'X-Request-Id', this.req.id, 'Content-Length', length]);
    this.end(text);
    return this;
  };
}
