import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { ParsedDatabaseUrl } from './database-location.js';

/**
 * Adds to a location the password that a file holds, as secrets are handed to containers and systemd services: its text,
 * without a line break at its end.
 *
 * @param file the path of the file; `undefined` for none
 * @returns the location, or what is wrong, as the rest of a sentence that begins with "DATABASE_PASSWORD_FILE" and never
 * contains the password
 */
export function addPasswordOfFile(
  location: ParsedDatabaseUrl,
  file: string | undefined,
): ParsedDatabaseUrl | { readonly problem: string } {
  if (file === undefined) return location;
  if (location.engine !== 'postgresql') return { problem: 'is only for a PostgreSQL DATABASE_URL' };
  const url = new URL(location.url);
  if (url.password !== '') return { problem: 'is set, but DATABASE_URL has a password: remove one of them' };
  if (url.username === '' || url.hostname === '') {
    return { problem: 'needs a user and a host in DATABASE_URL, as in postgresql://user@host:5432/plants' };
  }
  const password = readPassword(file);
  if (typeof password !== 'string') return password;
  // The setter escapes everything but %.
  url.password = encodeURIComponent(password);
  return { ...location, url: url.href };
}

function readPassword(file: string): string | { readonly problem: string } {
  if (!isAbsolute(file)) return { problem: 'must be the absolute path of a file with the password' };
  try {
    const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (/^[^\0\r\n]+$/.test(password)) return password;
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : error}` };
  }
  return { problem: `must be a file with one line, the password; ${file} is not` };
}
