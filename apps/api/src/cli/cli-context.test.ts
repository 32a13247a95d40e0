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
  expect(shown).toEqual(['3,000 plants', '6,000 plants', '9,000 plants']);
});
