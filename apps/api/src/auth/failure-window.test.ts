import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import type { Verification } from './access-tokens.js';
import { FailureWindow } from './failure-window.js';

const noop = () => undefined;

it('lets those that wait go on when a look-up meets an identity provider that is away', async () => {
  const window = new FailureWindow(1, noop);
  const away = new ServiceError('identity_provider_unavailable', 'The provider is away.');
  const { promise, reject } = Promise.withResolvers<Verification>();
  const lookUp = window.lookUp('jwt', () => promise);
  expect(window.isFull('jwt')).toBe(true);
  const waiting = window.wait('jwt');
  reject(away);
  await expect(lookUp).rejects.toBe(away);
  await waiting;
  expect(window.isFull('jwt')).toBe(false);
});

it('has places for each kind of tokens, and lets both go on when their failures reach the limit', async () => {
  const onFirstFailure = vi.fn();
  const window = new FailureWindow(2, onFirstFailure);
  const hanging = () => new Promise<Verification>(noop);
  void window.lookUp('jwt', hanging);
  expect(window.isFull('jwt')).toBe(false);
  void window.lookUp('jwt', hanging);
  expect(window.isFull('jwt')).toBe(true);
  expect(window.isFull('own')).toBe(false);

  const waiting = window.wait('jwt');
  for (let count = 0; count < 2; count++) await window.lookUp('own', () => ({ status: 'unknown' }));
  await waiting;
  expect(window.isLimited).toBe(true);
  expect(onFirstFailure).toHaveBeenCalledTimes(1);
});
