import { openChannel } from '../shared/tab-storage.js';
import { findBegun } from './begun-sign-ins.js';
import type { SignedIn } from './sign-in.js';

export const handOverChannel = 'plant-store.sign-in';

/** Calls a listener with a sign-in that this tab requested in another tab, until the returned function is called. */
export function onHandOver(listener: (signedIn: SignedIn) => void): () => void {
  const channel = openChannel(handOverChannel);
  channel.onmessage = ({ data }: MessageEvent<SignedIn | string>) => {
    if (typeof data === 'string') return;
    const begun = findBegun(data.askedBy);
    // The tab that received the code also has a copy of the request.
    if (begun === undefined || begun.codes.length > 0) return;
    channel.postMessage(begun.state);
    listener(data);
  };
  return () => channel.close();
}
