/** The work of the worker, where the browser lets none start: as in main.ts, without code that the policy forbids. */
import '../../shared/avoid-eval.js';

export { ImportWorker } from './import-worker.js';
