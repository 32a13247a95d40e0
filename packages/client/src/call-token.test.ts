import { describe, expect, it, vi } from 'vitest';
import {
  body,
  createTestClient,
  errorReply,
  ok,
  resultOf,
  scriptFetch,
  useFakeClock,
} from '../test/scripted-calls.js';
import type { Fetch } from './options.js';

useFakeClock();

describe('a token that is rejected', () => {
  /** Accepts one token, and responds with 401 to any other. */
  const accepting = (token: string) =>
    vi.fn<Fetch>(async (_url, init) =>
      new Headers(init.headers).get('authorization') === `Bearer ${token}` ? ok() : errorReply(401),
    );

  it('is requested again, once', async () => {
    const token = vi.fn().mockReturnValueOnce('old').mockResolvedValueOnce('new');
    const client = createTestClient({ token, fetch: accepting('new'), retries: 0 });
    expect(await resultOf(client.add({ body }))).toMatchObject({ status: 200 });
    expect(await resultOf(client.add({ body }))).toMatchObject({ status: 200 });
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('is requested once by concurrent calls', async () => {
    const token = vi
      .fn()
      .mockResolvedValueOnce('old')
      .mockResolvedValueOnce('new')
      .mockResolvedValue('newer');
    const client = createTestClient({ token, fetch: accepting('new') });
    const calls = Array.from({ length: 5 }, () => client.store({ body }));
    expect(await resultOf(Promise.all(calls))).toMatchObject(Array(5).fill({ status: 200 }));
    expect(token).toHaveBeenCalledTimes(2);
  });

  it('ends the call with 401 when the new one is rejected too', async () => {
    const token = vi.fn().mockReturnValueOnce('a').mockReturnValueOnce('b').mockReturnValueOnce('c');
    const fetch = accepting('d');
    expect(await resultOf(createTestClient({ token, fetch }).store({ body }))).toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each(['pst_same', () => 'pst_same'])('is not sent again when its source has no other', async (token) => {
    const fetch = accepting('other');
    expect(await resultOf(createTestClient({ token, fetch }).store({ body }))).toMatchObject({ status: 401 });
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('is requested again after its source has failed', async () => {
    const broken = new Error('The vault is closed');
    const token = vi.fn().mockRejectedValueOnce(broken).mockResolvedValueOnce('new');
    const client = createTestClient({ token, fetch: accepting('new') });
    expect(await resultOf(client.store({ body }))).toBe(broken);
    expect(await resultOf(client.store({ body }))).toMatchObject({ status: 200 });
  });

  it('is never sent when it is not valid', async () => {
    const { fetch } = scriptFetch(ok());
    const error = await resultOf(createTestClient({ token: () => 'a b', fetch }).store({ body }));
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('token must be') });
    expect(fetch).not.toHaveBeenCalled();
  });
});
