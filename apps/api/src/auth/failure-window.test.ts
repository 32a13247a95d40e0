import { expect, it } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import type { Verification } from './access-tokens.js';
import { FailureWindow } from './failure-window.js';

it('lets those that wait go on when a look-up meets an identity provider that is away', async () => {
  const window = new FailureWindow(1);
  const away = new ServiceError('identity_provider_unavailable', 'The provider is away.');
  const { promise, reject } = Promise.withResolvers<Verification>();
  const lookUp = window.lookUp(() => promise);
  expect(window.isFull).toBe(true);
  const waiting = window.wait();
  reject(away);
  await expect(lookUp).rejects.toBe(away);
  await waiting;
  expect(window.isFull).toBe(false);
});
