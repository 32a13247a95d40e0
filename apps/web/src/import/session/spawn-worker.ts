import type { Command, Report } from '../protocol.js';
import workerUrl from '../worker/main.ts?worker&url';

/** The worker, as the page uses it. */
export interface PlantsWorker {
  send(command: Command): void;
  end(): void;
}

/** What the worker calls. */
export interface WorkerListener {
  onReport(report: Report): void;
  /** The worker could not be loaded, or ended by an error that it did not catch; the message may be empty. */
  onCrash(message: string): void;
}

/** Starts the worker. */
export function spawnWorker({ onReport, onCrash }: WorkerListener): PlantsWorker {
  const worker = new Worker(trust(workerUrl), { type: 'module', name: 'import' });
  worker.addEventListener('message', ({ data }: MessageEvent<Report>) => onReport(data));
  worker.addEventListener('messageerror', () => onCrash(''));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    onCrash(event.message ?? '');
  });
  return {
    send: (command) => worker.postMessage(command),
    end: () => worker.terminate(),
  };
}

/** The part of the Trusted Types API that is used; TypeScript's types have none of it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** Under `require-trusted-types-for 'script'`, the only script that this page may start is this worker. */
function trust(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('plant-store-worker', {
    createScriptURL(requested) {
      if (requested !== workerUrl) throw new TypeError('This script is not the worker of this page');
      return requested;
    },
  });
  return policy?.createScriptURL(url) ?? url;
}
