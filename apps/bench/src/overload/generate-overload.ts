import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from '../report/median.js';
import { type OverloadLoad, OverloadLoadSchema, type OverloadResult } from './overload-load.js';

/** A program of its own: takes an `OverloadLoad` as JSON on its command line, prints an `OverloadResult` as JSON. */
const load = OverloadLoadSchema.parse(JSON.parse(process.argv[2] ?? ''));
process.stdout.write(JSON.stringify(await generateOverload(load)));
process.exit();

/**
 * Opens all connections at once. Each sends a create, the next one as soon as it is stored, and the same one again a
 * moment after it is refused. autocannon has no such pause.
 */
async function generateOverload(load: OverloadLoad): Promise<OverloadResult> {
  const firstRepliesMs: number[] = [];
  let stored = 0;
  let refused = 0;
  let failed = 0;

  for (let index = 0; index < load.connections; index++) {
    const startedAtMs = performance.now();
    let answered = false;
    let request = composeRequest(load);
    const socket = connect(Number(new URL(load.baseUrl).port), '127.0.0.1', () => void socket.write(request));
    socket.setNoDelay(true);
    socket.on('error', () => failed++);
    // A reply is one write of the service, and there is one at a time.
    socket.on('data', (reply: Buffer) => {
      if (!answered) firstRepliesMs.push(performance.now() - startedAtMs);
      answered = true;
      const status = reply.toString('latin1', 9, 12);
      if (status === '200') {
        stored++;
        request = composeRequest(load);
        socket.write(request);
      } else if (status === '503') {
        refused++;
        setTimeout(() => socket.write(request), load.retryMs);
      } else failed++;
    });
  }

  await delay(load.warmupSeconds * 1000);
  const before = { stored, refused, atMs: performance.now() };
  await delay(load.seconds * 1000);
  const measuredSeconds = (performance.now() - before.atMs) / 1000;
  // Those that are still without a reply waited for longer than the others.
  const unanswered = Array(load.connections - firstRepliesMs.length).fill(Number.MAX_VALUE);
  return {
    storedPerSecond: (stored - before.stored) / measuredSeconds,
    refusedPerSecond: (refused - before.refused) / measuredSeconds,
    firstReplyMs: median([...firstRepliesMs, ...unanswered]),
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
