import type { Report, Request } from '../protocol.js';
import { ImportWorker } from './import-worker.js';

/** The part of a worker's global scope that is used here. TypeScript's `dom` library declares the scope of a page instead. */
interface WorkerScope {
  postMessage(report: Report): void;
  addEventListener(type: 'message', listener: (event: { readonly data: Request }) => void): void;
  addEventListener(type: 'unhandledrejection', listener: (event: { readonly reason: unknown }) => void): void;
}

const scope = globalThis as unknown as WorkerScope;
const worker = new ImportWorker((report) => scope.postMessage(report));

scope.addEventListener('message', ({ data }) => void worker.handle(data));
scope.addEventListener('unhandledrejection', ({ reason }) => {
  scope.postMessage({ type: 'failed', message: reason instanceof Error ? reason.message : String(reason) });
});
