import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { writeAll } from './output.js';

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
