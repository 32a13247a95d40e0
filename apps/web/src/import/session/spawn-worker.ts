import type { Report, Request } from '../protocol.js';
import workerUrl from '../worker/main.ts?worker&url';

export interface PlantsWorker {
  send(request: Request): void;
  end(): void;
}

export interface WorkerListener {
  onReport(report: Report): void;
  /** Called if the worker cannot be loaded or has an uncaught error. The message may be empty. */
  onCrash(message: string): void;
}

/** Starts the worker. If the browser blocks it, runs its code in this thread, which makes the page slower. */
export function spawnWorker(listener: WorkerListener): PlantsWorker {
  const { onReport, onCrash } = listener;
  /** The requests sent before the worker's first message; `undefined` after that. */
  let sent: Request[] | undefined = [];
  let target: PlantsWorker;
  const startInThisThread = () => {
    target = runInThisThread(listener);
    for (const request of sent ?? []) target.send(request);
    sent = undefined;
  };
  try {
    const worker = new Worker(trustWorkerUrl(workerUrl), { type: 'module', name: 'import' });
    target = { send: (request) => worker.postMessage(request), end: () => worker.terminate() };
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      sent = undefined;
      onReport(data);
    });
    worker.addEventListener('messageerror', () => onCrash(''));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      // If the worker never started, the event has no message, and its code can run here instead.
      if (sent === undefined || event.message) return onCrash(event.message ?? '');
      worker.terminate();
      startInThisThread();
    });
  } catch {
    startInThisThread();
  }
  return {
    send(request) {
      sent?.push(request);
      target.send(request);
    },
    end: () => target.end(),
  };
}

function runInThisThread({ onReport, onCrash }: WorkerListener): PlantsWorker {
  let isEnded = false;
  const worker = import('../worker/import-worker.js').then(
    ({ ImportWorker }) => new ImportWorker((report) => isEnded || onReport(report)),
  );
  const onError = (error: unknown) => isEnded || onCrash(error instanceof Error ? error.message : '');
  return {
    send: (request) =>
      void worker.then((started) => (isEnded ? undefined : started.handle(request))).catch(onError),
    end() {
      isEnded = true;
      worker.then((started) => started.handle(['cancel'])).catch(() => undefined);
    },
  };
}

/** The part of the Trusted Types API that is used here, for which TypeScript has no types. */
interface Policy {
  createScriptURL(url: string): string;
}

let policy: Policy | undefined;

/** Returns the URL as Trusted Types require it. The policy rejects any script except this worker. */
function trustWorkerUrl(url: string): string {
  const { trustedTypes } = globalThis as {
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
  };
  policy ??= trustedTypes?.createPolicy('plant-store-worker', {
    createScriptURL(requested) {
      if (requested !== workerUrl) throw new TypeError('This script is not the worker of this page');
      return requested;
    },
  });
  return policy?.createScriptURL(url) ?? url;
}
