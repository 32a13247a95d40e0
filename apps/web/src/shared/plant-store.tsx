import { type Client, createClient } from '@plant-store/client';
import { createTanstackQueryUtils, type TanstackQueryUtils } from '@plant-store/client/tanstack-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { basePath } from '../route.js';
import { loadExplanations } from './explain.js';
import type { Failure } from './explain-failure.js';

/** The service's base URL, without a trailing slash. */
export const serviceUrl = location.origin + basePath.slice(0, -1);

/** The query keys. They do not depend on the token, because each token has a separate `QueryClient`. */
export const queryKeys: TanstackQueryUtils = createTanstackQueryUtils(
  createClient({ baseUrl: serviceUrl, token: 'sends-nothing' }),
);

/** The page's client and token. */
export interface PlantStore {
  readonly token: string;
  /** Stays the same when a sign-in's token is renewed, and differs for every other token. */
  readonly sessionId: string;
  readonly client: Client;
  /** The client's operations, for TanStack Query. */
  readonly operations: TanstackQueryUtils;
  /** Reports that the service rejected the token, with the reason. */
  rejectToken(message: string): void;
}

const PlantStoreContext = createContext<PlantStore | undefined>(undefined);

interface PlantStoreProviderProps {
  readonly token: string;
  /** Default: the token. */
  readonly sessionId?: string;
  /** Returns a replacement for a token that is rejected or expires. Must be a stable function. */
  renewToken?(token: string): Promise<string>;
  /** Must be a stable function. A reply to a request with an earlier token can arrive late. */
  onTokenRejected(token: string, message: string): void;
  readonly children: ReactNode;
}

/** Provides one client with one token to all parts of the page below it. */
export function PlantStoreProvider({
  token,
  sessionId = token,
  renewToken,
  onTokenRejected,
  children,
}: PlantStoreProviderProps) {
  const create = (): PlantStore => {
    let isRejected = false;
    const client = createClient({
      baseUrl: serviceUrl,
      // Each call asks for the token, and once more after a 401.
      token: () => (isRejected && renewToken !== undefined ? renewToken(token) : token),
      async onResponse({ response }) {
        isRejected ||= response?.status === 401;
        const loading = loadExplanations();
        // A proxy can reply with an HTML page and 200.
        if (!response?.ok || !response.headers.get('content-type')?.includes('json')) await loading;
      },
    });
    const rejectToken = (message: string) => onTokenRejected(token, message);
    return { token, sessionId, client, operations: createTanstackQueryUtils(client), rejectToken };
  };
  const [store, setStore] = useState(create);
  if (store.token !== token || store.sessionId !== sessionId) setStore(create());
  return <PlantStoreContext value={store}>{children}</PlantStoreContext>;
}

/** Returns the page's client and token. @throws {Error} outside the provider */
export function usePlantStore(): PlantStore {
  const store = use(PlantStoreContext);
  if (store === undefined) throw new Error('There is no PlantStoreProvider above.');
  return store;
}

/** Asks for another token if a failure is about the current one. */
export function useRejectedToken(failure: Failure | undefined): void {
  const { rejectToken } = usePlantStore();
  const message = failure?.about === 'token' ? failure.message : undefined;
  useEffect(() => {
    if (message !== undefined) rejectToken(message);
  }, [message, rejectToken]);
}
