import { openChannel } from '../shared/tab-storage.js';
import { handOverChannel } from './on-hand-over.js';
import type { SignedIn } from './sign-in.js';

/** How long a tab waits for the tab that opened it, in milliseconds. */
const waitMs = 1_000;

/** Passes a sign-in to the tab that requested it. Resolves to whether that tab exists and took it. */
export function handOver(signedIn: SignedIn): Promise<boolean> {
  if (signedIn.askedBy === undefined) return Promise.resolve(false);
  const channel = openChannel(handOverChannel);
  const taken = new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data === signedIn.askedBy) resolve(true);
    };
    setTimeout(() => resolve(false), waitMs);
  });
  channel.postMessage(signedIn);
  return taken.finally(() => channel.close());
}
