/** What the name of a backup says. */
export interface BackupName {
  readonly name: string;
  /** The id of its store; `undefined` in names of versions before 1.5, and where the store had no id yet. */
  readonly storeId: string | undefined;
  readonly time: Date;
}

const pattern = /^plant-store-(?:([0-9a-f]{16})-)?(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;

/** The name of a backup of a store, in which the time is UTC. */
export function nameBackup(storeId: string | undefined, time: Date): string {
  const stamp = time.toISOString().slice(0, 19).replaceAll(':', '-');
  return `plant-store-${storeId === undefined ? '' : `${storeId}-`}${stamp}Z.db`;
}

/** What a name says; `undefined` if it is not the name of a backup. */
export function parseBackupName(name: string): BackupName | undefined {
  const [, storeId, day, hour, minute, second] = pattern.exec(name) ?? [];
  const time = new Date(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : { name, storeId, time };
}

/**
 * The backups among these names, the oldest first. Those with a name in the future are apart: a clock was wrong when they were made, or
 * is wrong now, so nobody knows how old they are.
 */
export function sortBackups(
  names: readonly string[],
  now: Date,
): { readonly backups: readonly BackupName[]; readonly future: readonly string[] } {
  const all = names
    .flatMap((name) => parseBackupName(name) ?? [])
    .toSorted((a, b) => a.time.getTime() - b.time.getTime());
  return {
    backups: all.filter(({ time }) => time <= now),
    future: all.filter(({ time }) => time > now).map(({ name }) => name),
  };
}

/** The warning about backups with a name in the future. */
export function warnOfFuture(future: readonly string[], now: Date): string {
  return `Warning: these names are in the future, so they never count as the newest backup: ${future.join(', ')}. It is ${now.toISOString().slice(0, 19)}Z by the clock of this machine. If that is right, rename these backups to when they were made, or remove them.`;
}
