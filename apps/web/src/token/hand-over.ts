import { openChannel } from '../shared/page-storage.js';
import { takePendingSignIn } from './pending-sign-ins.js';
import type { SignedIn } from './sign-in.js';

const handOverChannel = 'plant-store.sign-in';

/** How long a tab waits for a reply from the tab that opened it. */
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

/** Calls a listener with the sign-ins that this tab requested in another tab. Returns a function that ends this. */
export function onHandOver(listener: (signedIn: SignedIn) => void): () => void {
  const channel = openChannel(handOverChannel);
  channel.onmessage = ({ data }: MessageEvent<SignedIn | string>) => {
    if (typeof data === 'string' || takePendingSignIn(data.openerState) === undefined) return;
    channel.postMessage(data.openerState);
    listener(data);
  };
  return () => channel.close();
}
