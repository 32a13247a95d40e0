/** The code of the worker, for browsers that block workers. */
import '../../shared/avoid-eval.js';

export { ImportWorker } from './import-worker.js';
