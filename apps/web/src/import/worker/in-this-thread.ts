/** The work of the worker, for browsers that block it. Like main.ts, without code that the policy forbids. */
import '../../shared/avoid-eval.js';

export { ImportWorker } from './import-worker.js';
