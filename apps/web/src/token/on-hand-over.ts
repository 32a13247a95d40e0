import { openChannel } from '../shared/page-storage.js';
import { findPendingSignIn } from './pending-sign-ins.js';
import type { SignedIn } from './sign-in.js';

export const handOverChannel = 'plant-store.sign-in';

/** Calls a listener with the sign-ins that this tab requested in another tab. Returns a function that ends this. */
export function onHandOver(listener: (signedIn: SignedIn) => void): () => void {
  const channel = openChannel(handOverChannel);
  channel.onmessage = ({ data }: MessageEvent<SignedIn | string>) => {
    if (typeof data === 'string') return;
    const pending = findPendingSignIn(data.openerState);
    // The other tab has a copy of the pending sign-in, but it has received the code.
    if (pending === undefined || pending.codes.length > 0) return;
    channel.postMessage(pending.state);
    listener(data);
  };
  return () => channel.close();
}
