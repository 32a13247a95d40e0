import type { Config } from '../config.js';
import { countAvailableCores } from '../runtime/available-cores.js';
import { type Item, ok, type Result, warning } from './finding.js';

/** The processes that serve requests, beside the cores that they may use. */
export const workers: Item<{ readonly config: Config }> = {
  name: 'workers',
  inspect: ({ config }) => assessWorkers(config.workers, countAvailableCores()),
};

/** @param cores what `WORKERS=auto` stands for */
export function assessWorkers(count: number, cores: number): Result {
  const found = `${count}; WORKERS=auto is ${cores} here`;
  if (count <= cores) return ok(found);
  return warning(
    `${found}, so workers wait for each other`,
    'Set WORKERS to no more than the cores that the service may use, or to auto.',
  );
}
