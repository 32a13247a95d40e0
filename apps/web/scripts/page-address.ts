import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Plugin } from 'vite';

/** The service that `pnpm dev` runs. */
export interface DevService {
  /** Its origin. */
  readonly service: string;
  /** The file that it writes its access token to. */
  readonly tokenFile: string;
}

/** How often to look whether the service runs, in milliseconds. */
const intervalMs = 250;

/** Prints the address that opens the page with the token once the service accepts it, again after each restart of Vite. */
export function printPageAddress(service: DevService): Plugin {
  return {
    name: 'print-page-address',
    configureServer(server) {
      const closed = new AbortController();
      const print = (token: string) => {
        const [page] = server.resolvedUrls?.local ?? [];
        if (page !== undefined)
          server.config.logger.info(`\n  Open the page with its token: ${page}#token=${token}\n`);
      };
      server.httpServer?.once('listening', () => {
        findAcceptedToken(service, closed.signal).then(print, () => undefined);
      });
      server.httpServer?.once('close', () => closed.abort());
    },
  };
}

/**
 * Waits until the service accepts the token in its file: it replaces one of another database right after its start.
 *
 * @throws the reason of the signal
 */
export async function findAcceptedToken(
  { service, tokenFile }: DevService,
  signal: AbortSignal,
): Promise<string> {
  let rejected: string | undefined;
  for (;;) {
    const token = tryReadToken(tokenFile);
    // Asking again for the same one would use up the attempts that the service allows.
    if (token !== undefined && token !== rejected) {
      const status = await tryToken(service, token, signal);
      if (status === 401) rejected = token;
      else if (status !== undefined) return token;
    }
    await delay(intervalMs, undefined, { signal, ref: false });
  }
}

function tryReadToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The status of a request that stores nothing, or `undefined` if the service does not answer yet. */
async function tryToken(service: string, token: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { status } = await fetch(`${service}/plants`, { method: 'POST', headers, body: '{}', signal });
    return status;
  } catch {
    return undefined;
  }
}
