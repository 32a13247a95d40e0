import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type OverloadLoad, OverloadLoadSchema, type OverloadResult } from './overload-load.js';
import { medianFirstReply } from './summarize-overload.js';

/** A separate program: takes an `OverloadLoad` as JSON on its command line, prints an `OverloadResult` as JSON. */
const load = OverloadLoadSchema.parse(JSON.parse(process.argv[2] ?? ''));
process.stdout.write(JSON.stringify(await generateOverload(load)));
process.exit();

/**
 * Opens all connections at the same time. Each sends a create, the next one as soon as it is stored, and the same one
 * again some time after a 503. autocannon has no such delay.
 */
async function generateOverload(load: OverloadLoad): Promise<OverloadResult> {
  const firstRepliesMs: number[] = [];
  let stored = 0;
  let rejected = 0;
  let failed = 0;

  for (let index = 0; index < load.connections; index++) {
    const startedAtMs = performance.now();
    let answered = false;
    let request = composeRequest(load);
    const socket = connect(Number(new URL(load.baseUrl).port), '127.0.0.1', () => void socket.write(request));
    socket.setNoDelay(true);
    socket.on('error', () => failed++);
    // The service sends each reply in one write, and there is one at a time.
    socket.on('data', (reply: Buffer) => {
      if (!answered) firstRepliesMs.push(performance.now() - startedAtMs);
      answered = true;
      const status = reply.toString('latin1', 9, 12);
      if (status === '200') {
        stored++;
        request = composeRequest(load);
        socket.write(request);
      } else if (status === '503') {
        rejected++;
        setTimeout(() => socket.write(request), load.retryMs);
      } else failed++;
    });
  }

  await delay(load.warmupSeconds * 1000);
  const before = { stored, rejected, atMs: performance.now() };
  await delay(load.seconds * 1000);
  const measuredSeconds = (performance.now() - before.atMs) / 1000;
  return {
    storedPerSecond: (stored - before.stored) / measuredSeconds,
    rejectedPerSecond: (rejected - before.rejected) / measuredSeconds,
    firstReplyMs: medianFirstReply(firstRepliesMs, load.connections),
    failed,
  };
}

function composeRequest({ baseUrl, token }: OverloadLoad): string {
  const id = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const body = JSON.stringify({ id, name: 'Monstera deliciosa', tag: 'houseplant' });
  return [
    'POST /plants HTTP/1.1',
    `Host: ${new URL(baseUrl).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
