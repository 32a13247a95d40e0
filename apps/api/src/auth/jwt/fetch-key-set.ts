import type { JSONWebKeySet } from 'jose';
import { messageOf } from '../../errors/message-of.js';

/** The largest key set that is read, in bytes; one of ten keys with certificates has about 20 KiB. */
const maxBytes = 2 ** 18;

/**
 * Fetches the keys of an identity provider (JWK Set, RFC 7517, section 5). Redirects are not followed, and what is larger
 * than 256 KiB is not read.
 *
 * @param signal ends the fetch, the reading of the body included
 * @throws {Error} when the reply does not come, has another status than 200, is too large, or is not JSON
 */
export async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  }).catch((cause: unknown) => {
    throw new Error(`${url} does not answer: ${reasonOf(cause)}`, { cause });
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const isRedirect = response.status >= 300 && response.status < 400;
    throw new Error(
      `${url} answered with status ${response.status}${isRedirect ? '; redirects are not followed' : ''}`,
    );
  }
  const text = await readText(response, url);
  try {
    return JSON.parse(text) as JSONWebKeySet;
  } catch (cause) {
    // The message of a SyntaxError quotes what was read.
    throw new Error(`${url} did not answer with JSON`, { cause });
  }
}

async function readText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // To leave the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url} answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What `fetch` failed with: its own message is always the same. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return messageOf(cause);
}
