import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { type ConnectionTarget, createConnectionPassage, onConnectionPassed } from './pass-connection.js';

/** A passage to a worker, and what the worker gets: messages, each with a connection unless that is lost on the way. */
function connectPassage(error: Error | null = null) {
  const elsewhere: Socket[] = [];
  const worker = new EventEmitter();
  const sent: (readonly [message: unknown, socket: Socket])[] = [];
  const target: ConnectionTarget = {
    send(message, socket, _, callback) {
      sent.push([message, socket]);
      callback(error);
      return error === null;
    },
  };
  const passage = createConnectionPassage(target, (socket) => elsewhere.push(socket));
  return { passage, worker, sent, elsewhere };
}

it('keeps a connection until the worker confirms that it has it', () => {
  const { passage, worker, sent } = connectPassage();
  const sockets = [new Socket(), new Socket()];
  const received: Socket[] = [];
  onConnectionPassed(worker, passage.confirm, (socket) => received.push(socket));
  for (const socket of sockets) passage.pass(socket);
  const [first, second] = sent;
  worker.emit('message', ...(first ?? []));
  expect(received).toEqual([sockets[0]]);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  worker.emit('message', ...(second ?? []));
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

it('closes the connections that the worker has not confirmed when it ends', () => {
  const { passage } = connectPassage();
  const socket = new Socket();
  passage.pass(socket);
  passage.end();
  expect(socket.destroyed).toBe(true);
});

it('passes a connection elsewhere that cannot be sent to the worker', () => {
  const { passage, elsewhere } = connectPassage(new Error('EPIPE'));
  const socket = new Socket();
  passage.pass(socket);
  passage.end();
  expect(elsewhere).toEqual([socket]);
  expect(socket.destroyed).toBe(false);
});

it('confirms a connection that was closed on the way, and serves nothing', () => {
  const { passage, worker, sent } = connectPassage();
  const received: Socket[] = [];
  onConnectionPassed(worker, passage.confirm, (socket) => received.push(socket));
  const socket = new Socket();
  passage.pass(socket);
  worker.emit('message', sent[0]?.[0], undefined);
  expect(received).toEqual([]);
  expect(socket.destroyed).toBe(true);
});

it('leaves other messages to their listeners', () => {
  const { passage, worker } = connectPassage();
  const received: Socket[] = [];
  onConnectionPassed(worker, passage.confirm, (socket) => received.push(socket));
  for (const message of [['call', 1, 'insert', []], null, 'text']) worker.emit('message', message, undefined);
  expect(received).toEqual([]);
});
