import { expect, it, vi } from 'vitest';
import { takeTokenFromAddress } from './take-token-from-address.js';

it('takes the token out of the address, and leaves the rest', () => {
  const replaceState = vi.fn();
  const location = { hash: '#token=pst_secret', pathname: '/', search: '?a=1' };
  expect(takeTokenFromAddress({ location, history: { state: 7, replaceState } })).toBe('pst_secret');
  expect(replaceState.mock.calls).toEqual([[7, '', '/?a=1']]);
});

it('leaves an address without a token alone', () => {
  const replaceState = vi.fn();
  const location = { hash: '#other', pathname: '/', search: '' };
  expect(takeTokenFromAddress({ location, history: { state: null, replaceState } })).toBeUndefined();
  expect(replaceState).not.toHaveBeenCalled();
});
