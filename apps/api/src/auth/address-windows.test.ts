import { expect, it } from 'vitest';
import { AddressWindows } from './authentication-limit.js';

const noop = () => undefined;

it('has one window for look-ups of an address at the same time, and none once all have ended', async () => {
  const windows = new AddressWindows(3, noop);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lookUps = [first, second].map(({ promise }) => windows.use('192.0.2.1', () => promise));
  const window = windows.get('192.0.2.1');
  expect(window.pending).toBe(2);
  first.resolve();
  await lookUps[0];
  expect(windows.get('192.0.2.1')).toBe(window);
  second.resolve();
  await lookUps[1];
  expect(windows.get('192.0.2.1')).not.toBe(window);
});

it('has no window after a look-up that could not be made', async () => {
  const windows = new AddressWindows(3, noop);
  const window = await windows.use('192.0.2.1', async (used) => used);
  await expect(windows.use('192.0.2.1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(windows.get('192.0.2.1')).not.toBe(window);
});

it('keeps the window of an address with a failure', async () => {
  const windows = new AddressWindows(3, noop);
  const window = await windows.use('192.0.2.1', async (used) => {
    used.fail();
    return used;
  });
  expect(windows.get('192.0.2.1')).toBe(window);
  await windows.use('192.0.2.1', async (used) => expect(used).toBe(window));
  expect(windows.get('192.0.2.1')).toBe(window);
  windows.clear();
  expect(windows.get('192.0.2.1')).not.toBe(window);
});
