import { userInfo } from 'node:os';
import type { Actor } from '@plant-store/records';

/** Returns the operating system user who runs this process, for the audit. */
export function operator(): Actor {
  try {
    return { user: userInfo().username };
  } catch {
    // A container can run with a user ID that no user has.
    return { user: `uid ${process.geteuid?.()}` };
  }
}
