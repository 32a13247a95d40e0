// Access tokens from a file that is renewed elsewhere, such as a mounted secret.
import { readFile } from 'node:fs/promises';
import { type Client, type ClientOptions, createClient } from '@plant-store/client';

/**
 * The file is read for each call, and again when the service rejects its token. You can replace the token at any time, without a
 * restart and without a failed call.
 */
export function createClientWithTokenFile(file: string, options: Omit<ClientOptions, 'token'>): Client {
  return createClient({ ...options, token: async () => (await readFile(file, 'utf8')).trim() });
}
