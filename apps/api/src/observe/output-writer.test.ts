import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openFullPipe } from '../../test/support/process/open-full-pipe.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { createOutputWriter } from './output-writer.js';

/** Reads what a pipe holds, up to a number of bytes. */
function read(reader: number, bytes: number): string {
  const chunk = Buffer.alloc(bytes);
  try {
    return chunk.toString('utf8', 0, readSync(reader, chunk));
  } catch {
    // It is empty.
    return '';
  }
}

/** A full pipe that can be written to without blocking, as an output is opened. */
function openOutputPipe() {
  const { reader, writer } = openFullPipe();
  return { reader, output: openSync(`/proc/self/fd/${writer}`, constants.O_WRONLY | constants.O_NONBLOCK) };
}

it('does not retry at the end when the reader has gone away', () => {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // It stays open, since the write in flight may run in another thread after this test.
  const descriptor = openSync(path, 'w');
  closeSync(reader);

  const output = createOutputWriter(descriptor, 1_000);
  output.write('in flight');
  output.write('queued');
  const timeoutMs = 20_000;
  const startedAt = performance.now();
  output.endSync(timeoutMs);
  expect(performance.now() - startedAt).toBeLessThan(timeoutMs);
});

describe('writes nothing more once it has ended: the descriptor may then be that of another file', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('if a write waits for its retry', async () => {
    const { reader, output } = openOutputPipe();
    const writer = createOutputWriter(output, 1_000);
    writer.write('first\n');
    while (vi.getTimerCount() === 0) await sleep(1);
    writer.write('second\n');
    writer.endSync(0);
    while (read(reader, 65_536) !== '');
    vi.runAllTimers();
    await sleep(50);
    expect(read(reader, 65_536)).toBe('');
  });

  it('if a write is in flight', async () => {
    const { output } = openOutputPipe();
    const writer = createOutputWriter(output, 1_000);
    writer.write('first\n');
    writer.endSync(0);
    // It fails, since the pipe is full, and is not retried.
    await sleep(50);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('if everything was written', async () => {
    const { reader, output } = openOutputPipe();
    while (read(reader, 65_536) !== '');
    const writer = createOutputWriter(output, 1_000);
    writer.endSync(0);
    writer.write('late\n');
    await sleep(50);
    expect(read(reader, 65_536)).toBe('');
  });
});

it('keeps lines whole on a pipe that others write to', async () => {
  const { reader, output } = openOutputPipe();
  const writer = createOutputWriter(output, 100_000, 4_096);
  const line = `${'x'.repeat(98)}\n`;
  writer.write(line.repeat(200));
  const others = '-'.repeat(98);
  let text = '';
  // As much as another process writes may be in the place of what is read.
  for (let round = 0; round < 60; round++) {
    text += read(reader, 8_192);
    writeSync(output, `${others}\n`);
    await sleep(15);
  }
  const lines = text.split('\n').filter((part) => part !== '' && part !== others);
  expect(lines).toEqual(Array(200).fill(line.trim()));
});
