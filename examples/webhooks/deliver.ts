import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '@plant-store/client';
import { Webhook } from 'standardwebhooks';

const attemptTimeoutMs = 20_000;
const firstDelayMs = 1_000;
const maxDelayMs = 300_000;

/** A change, or that a backup was restored: then receivers discard all that they have, and get all that is stored. */
type Event = Change | { readonly kind: 'restored' };

/** Creates a function that resolves once an event was delivered, however many attempts that takes. */
export function createDeliver(options: { url: string; secret: string; signal: AbortSignal }) {
  const { url, signal } = options;
  const webhook = new Webhook(options.secret);

  /** Resolves to how long to wait before the next attempt, at least, in milliseconds, or to `undefined` once it was delivered. */
  async function attempt(id: string, body: string): Promise<number | undefined> {
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': webhook.sign(id, now, body),
    };
    let failure: unknown;
    let retryAfterMs = 0;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
      });
      await response.body?.cancel();
      if (response.ok) return undefined;
      failure = `status ${response.status}`;
      retryAfterMs = 1_000 * Number(response.headers.get('retry-after')) || 0;
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
    if (failure === 'status 410') throw new Error(`${url} accepts no more webhooks: it is gone (410).`);
    const reason = failure instanceof Error ? (failure.cause ?? failure) : failure;
    console.error(`${id} was not delivered: ${reason}`);
    return retryAfterMs;
  }

  return async function deliver(event: Event): Promise<void> {
    const { id, body } = compose(event);
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const retryAfterMs = await attempt(id, body);
      if (retryAfterMs === undefined) return;
      // Between half of it and all, so that programs that have failed together do not come together.
      const restMs = Math.max(retryAfterMs, delayMs * (0.5 + Math.random() / 2));
      await delay(Math.min(restMs, maxDelayMs), undefined, { signal });
    }
  };
}

/** The id is the same each time that a change is sent, so that its receiver processes it once. */
function compose(event: Event): { id: string; body: string } {
  const body = JSON.stringify(describe(event));
  return { id: `msg_${createHash('sha256').update(body).digest('base64url')}`, body };
}

function describe(event: Event) {
  if (event.kind === 'restored')
    return { type: 'store.restored', timestamp: new Date().toISOString(), data: {} };
  const { kind, idText, plant, at } = event;
  return { type: `plant.${kind}`, timestamp: at, data: { ...plant, id: idText, idText: undefined } };
}
