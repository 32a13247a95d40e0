import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors/operator-error.js';
import { operator } from '../runtime/operator.js';
import { findClosedFolder } from '../store/sqlite/errors.js';

/**
 * Explains what to do if this user cannot write to a folder. The package runs commands as its own user, but root chooses the paths.
 *
 * @returns lines to add to the error message; empty if the error has another cause
 */
export function explainUnwritable(error: unknown, folder: string): string {
  const code = codeOf(error);
  if (!denials.includes(code) && code !== 'EROFS') return '';
  const { user, owner } = readUser();
  const target = findWritable(folder);
  const create = `install -d ${owner} -m 0700 ${quote(target)}`;
  const name = target === folder ? '' : `\nThen specify that folder.`;
  if (code !== 'EROFS')
    return `\nThis command runs as user ${user}, which cannot write there. Run this as root:\n  ${create}${name}`;
  return `\nThe disk is read-only, or the systemd unit cannot write there. For the nightly backup, run this as root:\n  ${create}
Then run systemctl edit plant-store-backup, and add:\n  [Service]\n  ReadWritePaths=${target}${name}`;
}

/** Returns a folder to create for this user. An existing folder may serve others, too, so it keeps its owner and mode. */
function findWritable(folder: string): string {
  if (findClosedFolder(folder) !== undefined) return '/var/backups/plant-store';
  return existsSync(folder) ? join(folder, 'plant-store') : folder;
}

/**
 * Explains what to do if this user cannot read a path.
 *
 * @param files the files that root copies, as a shell pattern
 * @param readable a folder that this user can read
 * @returns lines to add to the error message; empty if the error has another cause
 */
export function explainUnreadable(error: unknown, files: string, readable: string): string {
  if (!denials.includes(codeOf(error))) return '';
  const { user, owner } = readUser();
  const target = quote(join(readable, 'incoming'));
  return `\nThis command runs as user ${user}, which cannot read it. Run this as root:
  install -d ${owner} -m 0700 ${target} && install ${owner} -m 0600 -t ${target} ${files}
Then specify the copy in that folder.`;
}

const denials: readonly unknown[] = ['EACCES', 'EPERM'];

/** Returns this user, and the options of `install` that set the owner. */
function readUser(): { readonly user: string; readonly owner: string } {
  const { user = '' } = operator();
  return { user, owner: `-o ${process.geteuid?.()} -g ${process.getegid?.()}` };
}

/** Quotes a path for a shell. */
export function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
