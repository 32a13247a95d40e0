import { PassThrough, Writable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { countProgress, writeAll, writeResult } from './cli-context.js';

afterEach(() => void vi.useRealTimers());

it('resolves only once the stream has passed the text on', async () => {
  const passOn: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, callback) => void passOn.push(callback) });
  const onWritten = vi.fn();
  const writing = writeAll(stream, 'text').then(onWritten);
  await new Promise(setImmediate);
  expect(onWritten).not.toHaveBeenCalled();
  passOn[0]?.();
  await writing;
});

it.each([true, false])(
  'writes a result exactly, but to a terminal without what it would obey or hide: %s',
  async (isTTY) => {
    const output = Object.assign(new PassThrough(), { isTTY });
    const line = `${JSON.stringify({ name: 'a\u202eb\u009b2J\u{e0061}' })}\n`;
    await writeResult({ output }, line);
    const written = String(output.read());
    expect(written === line).toBe(!isTTY);
    expect(/[\u202e\u009b\u{e0061}]/u.test(written)).toBe(!isTTY);
    expect(JSON.parse(written)).toEqual(JSON.parse(line));
  },
);

it('throws the error of the stream without another listener', async () => {
  const error = Object.assign(new Error('gone'), { code: 'EPIPE' });
  const stream = new Writable({ write: (_chunk, _encoding, callback) => callback(error) });
  await expect(writeAll(stream, 'text')).rejects.toBe(error);
  await new Promise(setImmediate);
});

it('leaves no listener behind', async () => {
  const stream = new PassThrough().resume();
  for (let count = 0; count < 20; count++) await writeAll(stream, 'text');
  expect(stream.listenerCount('error')).toBe(0);
});

it.each<[what: string, stepMs: number, done: number[] | undefined, shown: string[]]>([
  ['a count each 250 ms', 100, undefined, ['300 lines, 1,000/s', '600 lines, 1,000/s', '900 lines, 1,000/s']],
  [
    'how much is done, and how long the rest takes',
    1_000,
    [0, 0.25, 0.995],
    ['0 lines, 0/s', '1,000 lines, 500/s, 25 %, 6 s left', '3,980 lines, 1,327/s, 99 %, 0 s left'],
  ],
])('shows %s', (_, stepMs, shares, expected) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shown: string[] = [];
  let share: number | undefined;
  const showProgress = (text: string) => void shown.push(text);
  const showCount = countProgress({ showProgress }, 'lines', () => share);
  for (let step = 1; step <= (shares?.length ?? 10); step++) {
    vi.advanceTimersByTime(stepMs);
    share = shares?.[step - 1];
    showCount(share === undefined ? step * stepMs : 4_000 * share);
  }
  expect(shown).toEqual(expected);
});
