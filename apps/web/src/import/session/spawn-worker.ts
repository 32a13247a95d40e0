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

/** Starts the worker; where the browser does not let it start, the same code in this thread, which then answers slower. */
export function spawnWorker(listener: WorkerListener): PlantsWorker {
  const { onReport, onCrash } = listener;
  let isHeard = false;
  /** What was sent before the worker was heard of. */
  const sent: Command[] = [];
  let target: PlantsWorker;
  const startHere = () => {
    target = runInThisThread(listener);
    for (const command of sent.splice(0)) target.send(command);
    isHeard = true;
  };
  try {
    const worker = new Worker(trust(workerUrl), { type: 'module', name: 'import' });
    target = {
      send: (command) => worker.postMessage(command),
      end: () => worker.terminate(),
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      isHeard = true;
      sent.length = 0;
      onReport(data);
    });
    worker.addEventListener('messageerror', () => onCrash(''));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // One that never began has no message.
      if (isHeard || event.message) return onCrash(event.message ?? '');
      worker.terminate();
      startHere();
    });
  } catch {
    startHere();
  }
  return {
    send(command) {
      if (!isHeard) sent.push(command);
      target.send(command);
    },
    end: () => target.end(),
  };
}

function runInThisThread({ onReport, onCrash }: WorkerListener): PlantsWorker {
  let isEnded = false;
  const worker = import('../worker/in-this-thread.js')
    .then(({ ImportWorker }) => new ImportWorker((report) => isEnded || onReport(report)))
    .catch(() => onCrash(''));
  return {
    send: (command) =>
      void worker
        .then((started) => (isEnded ? undefined : started?.handle(command)))
        .catch((error: unknown) => isEnded || onCrash(error instanceof Error ? error.message : '')),
    end() {
      isEnded = true;
      void worker.then((started) => started?.handle({ type: 'cancel' }));
    },
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
