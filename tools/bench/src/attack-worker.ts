import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { type Attack, attacks, type Sender } from './attack-list.js';

/** The `workerData` of this thread: which attack to run on which service. */
export interface AttackWorkerData {
  readonly title: string;
  readonly port: number;
  readonly token: string;
}

/** How long a connection pauses after a call. */
const pauseMs = 1;

/** How long a connection pauses after a failed call, for example because no connection could be opened. */
const pauseAfterErrorMs = 50;

/** Runs an attack until this thread is terminated. */
async function runAttack({ title, port, token }: AttackWorkerData): Promise<void> {
  const attack = attacks.find((candidate) => candidate.title === title);
  if (attack === undefined) throw new Error(`There is no attack ${title}`);
  const agent = new Agent({ keepAlive: true });
  const authorization = attack.scope && `Bearer ${token}`;
  const sender: Sender = {
    request: (method, path, body = '') =>
      new Promise((resolve) => {
        const headers = {
          ...(authorization && { authorization }),
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        };
        const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) =>
          response.resume().once('close', () => resolve()),
        );
        sent.once('error', () => resolve()).end(body);
      }),
    async open(method, path, body = '', times = 1) {
      const socket = connect(port, '127.0.0.1');
      // An error also closes the socket, so there is nothing to do.
      socket.on('error', () => undefined);
      const lines = [
        `${method} ${path} HTTP/1.1`,
        'Host: a',
        ...(authorization ? [`Authorization: ${authorization}`] : []),
        ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`.repeat(times));
      return socket;
    },
  };
  let calls = 0;
  async function sendRepeatedly({ send }: Attack): Promise<void> {
    for (;;)
      await send(sender, calls++).then(
        () => delay(pauseMs),
        () => delay(pauseAfterErrorMs),
      );
  }
  await Promise.all(Array.from({ length: attack.connections }, () => sendRepeatedly(attack)));
}

void runAttack(workerData);
