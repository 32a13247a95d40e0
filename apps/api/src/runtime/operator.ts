import { userInfo } from 'node:os';
import type { Actor } from '@plant-store/records';

/** Who runs this process, as the audit records what the command line does: the user of the operating system. */
export function operator(): Actor {
  try {
    return { user: userInfo().username };
  } catch {
    // A container may run with an id that no user has.
    return { user: `uid ${process.geteuid?.()}` };
  }
}
