import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { openFullPipe } from '../../test/support/process/open-full-pipe.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { until } from '../../test/support/until.js';
import { createOutputWriter, createTerminalFormat } from './logger.js';

/** Reads up to a number of bytes from a pipe, each as one character. */
function read(reader: number, bytes: number): string {
  const chunk = Buffer.alloc(bytes);
  try {
    return chunk.toString('latin1', 0, readSync(reader, chunk));
  } catch {
    // The pipe is empty.
    return '';
  }
}

function drain(reader: number): void {
  while (read(reader, 65_536) !== '');
}

/** A writer to a full pipe, which is opened as an output is. */
function startWriter(chunkBytes?: number) {
  const { reader, writer } = openFullPipe();
  const output = openSync(`/proc/self/fd/${writer}`, constants.O_WRONLY | constants.O_NONBLOCK);
  return { reader, output, writer: createOutputWriter(output, chunkBytes) };
}

it('does not retry at the end when the reader has gone away', () => {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // Not closed, because the write in flight may run in another thread after this test.
  const descriptor = openSync(path, 'w');
  closeSync(reader);

  const output = createOutputWriter(descriptor);
  output.write('in flight');
  output.write('queued');
  const timeoutMs = 20_000;
  const startedAt = performance.now();
  output.endSync(timeoutMs);
  expect(performance.now() - startedAt).toBeLessThan(timeoutMs);
});

// After the end, the descriptor may belong to another file.
it.each<[string, (started: ReturnType<typeof startWriter>) => Promise<void> | void]>([
  ['a write waits for its retry', waitForRetry],
  ['a write is in flight', writeMore],
  ['everything was written', ({ reader }) => drain(reader)],
])('writes nothing more once it has ended, if %s', async (_, prepare) => {
  const started = startWriter();
  const { reader, writer } = started;
  await prepare(started);
  writer.endSync(0);
  // The write in flight fails.
  await sleep(500);
  drain(reader);
  writer.write('late\n');
  await sleep(200);
  expect(read(reader, 65_536)).toBe('');
});

/** Writes more than is buffered. */
function writeMore({ writer }: ReturnType<typeof startWriter>): void {
  for (let count = 0; count < 2; count++) writer.write(`${'x'.repeat(40_000)}\n`);
}

async function waitForRetry({ writer }: ReturnType<typeof startWriter>): Promise<void> {
  writer.write('first\n');
  await sleep(150);
  writer.write('second\n');
}

it('keeps lines whole on a pipe that other processes write to', async () => {
  const { reader, output, writer } = startWriter(4_096);
  const line = `${'é'.repeat(49)}\n`;
  for (let count = 0; count < 200; count++) writer.write(line);
  const others = '-'.repeat(98);
  let text = '';
  const linesOf = () => text.split('\n').filter((part) => part !== '' && part !== others);
  // Another process may write as much as is read here.
  await until(() => {
    text += read(reader, 8_192);
    writeSync(output, `${others}\n`);
    return text.endsWith('\n') && linesOf().length >= 200;
  }, 15);
  expect(linesOf()).toEqual(Array(200).fill(Buffer.from(line.trim()).toString('latin1')));
});

it('buffers 16 MiB while the output is not read, drops the rest, and continues once it is read', async () => {
  const { reader, writer } = startWriter();
  const write = (name: string) => writer.write(`${name}${'x'.repeat(2 ** 20 - 2)}\n`);
  drain(reader);
  let text = '';
  const readMebibytes = async (count: number) => {
    while (text.length < count * 2 ** 20) {
      const part = read(reader, 65_536);
      text += part;
      if (part === '') await sleep(1);
    }
  };
  const names = 'abcdefghijklmnop';
  for (const name of `${names}qrs`) write(name);
  await readMebibytes(16);
  write('t');
  await readMebibytes(17);
  expect(text.replace(/[x\n]+/g, '')).toBe(`${names}t`);
});

const formatLine = await createTerminalFormat();
const format = (fields: object) => stripVTControlCharacters(formatLine(JSON.stringify(fields)));

it('shows time, level, and message first, then the other fields, and the stack trace of an error below', () => {
  const time = '2026-11-20T12:40:07.659Z';
  const text = format({ level: 30, time, path: '/plants', status: 200, msg: 'request' });
  expect(text).toMatch(/^\[\d\d:\d\d:07\.659\] INFO: request \{"path":"\/plants","status":200\}\n$/);
  const err = { type: 'Error', message: 'no', code: 'E', stack: 'Error: no\n    at file.js:1' };
  expect(format({ level: 50, time: 0, err, msg: 'failed' })).toMatch(
    /ERROR: failed \{"error":\{"type":"Error","message":"no","code":"E"\}\}\nError: no\n {4}at file\.js:1\n$/,
  );
});

it('escapes control characters, which a terminal could take as commands, and what is invisible', () => {
  const err = { message: '\u001b]0;title\u0007', stack: 'Error: \u001b[2J\u009b2J\n    at file.js:1' };
  const text = formatLine(JSON.stringify({ level: 50, path: '/\u001b[2J\u009b2J', err, msg: 'failed' }));
  expect(text).toContain('Error: \\u001b[2J');
  expect(text).toContain('"path":"/\\u001b[2J\\u009b2J"');
  const hidden = formatLine(
    JSON.stringify({ level: 30, clientAddress: 'a\u202e\u200b\u{e0061}', msg: 'request' }),
  );
  expect(hidden).toContain('"clientAddress":"a\\u202e\\u200b\\udb40\\udc61"');
  for (const command of ['\u001b]', '\u001b[2J', '\u009b']) expect(text).not.toContain(command);
});
