import { openChannel } from '../shared/page-storage.js';
import { handOverChannel } from './on-hand-over.js';
import type { SignedIn } from './sign-in.js';

/** How long a tab waits for a reply of the tab that opened it. */
const waitMs = 1_000;

/** Passes a sign-in to the tab that requested it. Resolves to whether that tab accepted it. */
export function handOver(signedIn: SignedIn): Promise<boolean> {
  if (signedIn.openerState === undefined) return Promise.resolve(false);
  const channel = openChannel(handOverChannel);
  const accepted = new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data === signedIn.openerState) resolve(true);
    };
    setTimeout(() => resolve(false), waitMs);
  });
  channel.postMessage(signedIn);
  return accepted.finally(() => channel.close());
}
