import type { Fetch } from '../options.js';
import type { RawReply } from '../response/read-reply.js';

/** Sends one request and reads the whole response, whatever its status. */
export async function exchange(fetch: Fetch, url: string, init: RequestInit): Promise<RawReply> {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}
