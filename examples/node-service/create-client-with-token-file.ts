// Access tokens from a file that is renewed elsewhere, such as a mounted secret.
import { readFile } from 'node:fs/promises';
import { type Client, type ClientOptions, createClient } from '@plant-store/client';

/**
 * The file is read at the first request, and again when the service rejects its token: a token can be replaced at any
 * time, without a restart and without a failed call.
 */
export function createClientWithTokenFile(file: string, options: Omit<ClientOptions, 'token'>): Client {
  return createClient({ ...options, token: async () => (await readFile(file, 'utf8')).trim() });
}
