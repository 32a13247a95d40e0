import { openChannel } from '../shared/tab-storage.js';
import { findBegun } from './begun-sign-ins.js';
import type { SignedIn } from './sign-in.js';

/** How long a tab waits for the one that has opened it, in milliseconds. */
const waitMs = 1_000;

const channelName = 'plant-store.sign-in';

/** Gives a sign-in to the tab that has asked for it; resolves with whether that is there, and has taken it. */
export function handOver(signedIn: SignedIn): Promise<boolean> {
  if (signedIn.askedBy === undefined) return Promise.resolve(false);
  const channel = openChannel(channelName);
  const taken = new Promise<boolean>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (data === signedIn.askedBy) resolve(true);
    };
    setTimeout(() => resolve(false), waitMs);
  });
  channel.postMessage(signedIn);
  return taken.finally(() => channel.close());
}

/** Calls a listener with a sign-in that this tab has asked for in another one, until the function that it returns is called. */
export function onHandOver(listener: (signedIn: SignedIn) => void): () => void {
  const channel = openChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<SignedIn | string>) => {
    if (typeof data === 'string') return;
    const begun = findBegun(data.askedBy);
    // The tab that got the code has a copy of it, too.
    if (begun === undefined || begun.codes.length > 0) return;
    channel.postMessage(begun.state);
    listener(data);
  };
  return () => channel.close();
}
