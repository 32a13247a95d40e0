import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import { ActiveCallers } from '../runtime/callers.js';
import { createTurns } from '../runtime/turns.js';
import { createCallerMemory } from './caller-memory.js';
import { jsonBody } from './json-body.js';

/** A reply to a read request of a token. */
function createResponse(id: number): Response {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(Object.assign(request, { method: 'GET', body: {} }));
  return Object.assign(response, { locals: { accessToken: { id } } }) as unknown as Response;
}

function close(response: Response): void {
  Object.assign(response, { _closed: true });
  response.emit('close');
}

const limit = 100_000;

it('counts shared bytes once for each caller, until its last reply is closed', () => {
  const memory = createCallerMemory(limit);
  const bytes = Buffer.alloc(20_000);
  const replies = [1, 1, 1, 2].map(createResponse);
  for (const reply of replies) memory.holdReply(reply, bytes, bytes.length);
  expect(memory.held).toBe(2 * bytes.length);
  const seen = [];
  for (const reply of replies) {
    close(reply);
    seen.push(memory.held / bytes.length);
  }
  expect(seen).toEqual([2, 2, 1, 0]);
});

it('rejects a reply for which its caller has no room, whether it is text or shared bytes', () => {
  const memory = createCallerMemory(limit);
  const hold = (id: number) => {
    const [text, bytes] = ['x'.repeat(20_000), Buffer.alloc(20_000)];
    memory.holdReply(createResponse(id), text, text.length);
    memory.holdReply(createResponse(id), bytes, bytes.length);
  };
  hold(1);
  expect(() => hold(1)).toThrow(expect.objectContaining({ errorName: 'overloaded' }));
  expect(memory.hasRoom(1)).toBe(true);
  expect(memory.held).toBe(40_000);
  memory.holdReply(createResponse(2), 'x', 20_000);
});

it('holds nothing for a reply that is already closed', () => {
  const memory = createCallerMemory(limit);
  const reply = createResponse(1);
  close(reply);
  memory.holdReply(reply, 'x'.repeat(20_000), 20_000);
  memory.holdReply(reply, Buffer.alloc(20_000), 20_000);
  expect(memory.held).toBe(0);
});

it('holds a body until its reply is closed and the work on it has ended, then drops the parsed body', () => {
  const memory = createCallerMemory(limit);
  const response = createResponse(1);
  expect(memory.holdBody(response, 30_000)).toBe(true);
  const endWork = memory.beginWork(response);
  close(response);
  expect(memory.held).toBe(30_000);
  expect(memory.holdBody(response, 10_000)).toBe(true);
  endWork();
  expect(memory.held).toBe(0);
  expect(response.req.body).toBeUndefined();

  const answered = createResponse(1);
  memory.holdBody(answered, 30_000);
  memory.beginWork(answered)();
  expect(memory.held).toBe(30_000);
  close(answered);
  expect(memory.held).toBe(0);
  expect(answered.req.body).toBeUndefined();
});

it('accepts a request of any size while no other one holds anything', () => {
  const memory = createCallerMemory(limit);
  const response = createResponse(1);
  expect(memory.holdBody(response, 90_000)).toBe(true);
  expect(memory.holdParsed(response, 90_000)).toBe(true);
  expect(memory.holdBody(createResponse(2), 2_000)).toBe(false);
});

it('does not hold the body of a request whose client disconnects before it is read', async () => {
  const memory = createCallerMemory(limit);
  const response = createResponse(1);
  const { req } = response;
  Object.assign(req.headers, { 'content-type': 'application/json' });
  req.push(Buffer.alloc(2_000));
  close(response);
  jsonBody({}, limit, memory, createTurns(new ActiveCallers()))(req, response, () => undefined);
  req.push(null);
  await new Promise(setImmediate);
  expect(memory.held).toBe(0);
});
