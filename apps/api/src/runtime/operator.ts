import { userInfo } from 'node:os';
import type { Actor } from '@plant-store/records';

/** The user of the operating system who runs this process, for the audit. */
export function operator(): Actor {
  try {
    return { user: userInfo().username };
  } catch {
    // A container may run with an id that no user has.
    return { user: `uid ${process.geteuid?.()}` };
  }
}
