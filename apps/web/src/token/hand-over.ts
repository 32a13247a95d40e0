import { openChannel } from '../shared/tab-storage.js';
import { handOverChannel } from './on-hand-over.js';
import type { SignedIn } from './sign-in.js';

/** How long a tab waits for the one that has opened it, in milliseconds. */
const waitMs = 1_000;

/** Gives a sign-in to the tab that has asked for it; resolves with whether that is there, and has taken it. */
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
