import { PassThrough, Writable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { countProgress, writeAll } from './cli-context.js';

afterEach(() => void vi.useRealTimers());

it('resolves only once the stream has passed the text on', async () => {
  const passOn: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, callback) => void passOn.push(callback) });
  let written = false;
  const writing = writeAll(stream, 'text').then(() => {
    written = true;
  });
  await new Promise(setImmediate);
  expect(written).toBe(false);
  passOn[0]?.();
  await writing;
});

it('throws the error of the stream, which needs no other listener', async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, callback) => callback(Object.assign(new Error('gone'), { code: 'EPIPE' })),
  });
  await expect(writeAll(stream, 'text')).rejects.toMatchObject({ code: 'EPIPE' });
  await new Promise(setImmediate);
});

it('leaves no listener behind', async () => {
  const stream = new PassThrough().resume();
  for (let count = 0; count < 20; count++) await writeAll(stream, 'text');
  expect(stream.listenerCount('error')).toBe(0);
});

it('shows a count at most every 250 ms', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown: string[] = [];
  const showCount = countProgress({ showProgress: (text) => void shown.push(text) }, 'plants');
  for (let count = 1_000; count <= 10_000; count += 1_000) {
    vi.advanceTimersByTime(100);
    showCount(count);
  }
  expect(shown).toEqual(['3,000', '6,000', '9,000'].map((plants) => `${plants} plants, 10,000/s`));
});

it('shows how much is done, and how long the rest takes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown: string[] = [];
  let done = 0;
  const showProgress = (text: string) => void shown.push(text);
  const showCount = countProgress({ showProgress }, 'lines', () => done);
  for (done of [0, 0.25, 0.995]) {
    vi.advanceTimersByTime(1_000);
    showCount(4_000 * done);
  }
  expect(shown).toEqual([
    '0 lines, 0/s',
    '1,000 lines, 500/s, 25 %, 6 s left',
    '3,980 lines, 1,327/s, 99 %, 0 s left',
  ]);
});
