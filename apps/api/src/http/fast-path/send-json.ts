import type { Express, Response } from 'express';
import { securityHeaders } from '../security-headers.js';

/**
 * Replaces `response.json` of the app by one that sends status, headers and body in one write, without the ETag, freshness
 * check and settings of Express. All JSON replies, those of ts-rest and of the error handler among them, go through it, and
 * get the security headers and the request id. Headers set before stay.
 */
export function sendJson(app: Express): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', ...securityHeaders };
  const commonHeaders = Object.entries(headers).flat();

  app.response.json = function json(this: Response, body: unknown) {
    const text = JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    this.writeHead(this.statusCode, [
      ...commonHeaders,
      'X-Request-Id',
      this.req.id,
      'Content-Length',
      length,
    ]);
    this.end(text);
    return this;
  };
}
