import type { Environment } from '../environment/environment.js';
import type { Target } from '../targets/target.js';

/** The targets that can run on this machine. The others are left out, and the log has the reason. */
export function selectTargets(targets: readonly Target[], log: Environment['log']): Target[] {
  return targets.filter(({ title, whyLeftOut }) => {
    const reason = whyLeftOut?.();
    if (reason !== undefined) log(`left out: ${title}, which needs: ${reason}`);
    return reason === undefined;
  });
}
