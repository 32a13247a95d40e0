import { describe, expect, it } from 'vitest';
import { createTokens } from '../request/tokens.js';
import { resolveOptions } from './resolve-options.js';

const defaults = { baseUrl: 'https://example.com', tokens: createTokens('pst_a') };
const given = () => Promise.reject(new Error('Never called'));

describe('an option that is undefined', () => {
  it.each([
    ['timeoutMs', 5, 30_000],
    ['attemptTimeoutMs', 5, 10_000],
    ['retries', 0, 2],
    ['fetch', given, expect.any(Function)],
    ['onRequest', given, undefined],
    ['onResponse', given, undefined],
  ])('counts as absent: %s', (name, ofClient, fallback) => {
    expect(resolveOptions({ ...defaults, [name]: ofClient }, { [name]: undefined })).toMatchObject({
      [name]: ofClient,
    });
    expect(resolveOptions({ ...defaults, [name]: undefined }, {})).toMatchObject({ [name]: fallback });
  });
});
