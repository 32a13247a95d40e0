import { type Item, ok, type Result, warning } from './finding.js';

/** What the files of the service itself, its log and its database take at most. */
const ownFiles = 64;

/** The limit below which a busy service may run out: each connection takes one. */
const minOpenFiles = 4_096;

/** The limit on open files (`ulimit -n`), to which Node.js raises its own at the start. */
export const openFiles: Item<unknown> = {
  name: 'open files',
  inspect() {
    const { userLimits } = process.report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly hard: unknown } };
    };
    return assessOpenFiles(Number(userLimits?.open_files?.hard ?? Number.POSITIVE_INFINITY));
  },
};

/** @param limit on the files of one process; NaN and Infinity stand for none */
function assessOpenFiles(limit: number): Result {
  if (!Number.isFinite(limit)) return ok('no limit');
  const found = `at most ${limit} in a process started like this one`;
  if (limit >= minOpenFiles) return ok(found);
  return warning(
    `${found}, and so about ${Math.max(0, limit - ownFiles)} connections`,
    `Raise it to ${minOpenFiles} or more: ulimit -n, or LimitNOFILE= of a systemd unit.`,
  );
}
