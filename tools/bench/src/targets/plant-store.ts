import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../processes/run-program.js';
import type { Target } from './target.js';

/** This checkout. */
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

const prepareTimeoutMs = 60_000;

/** The service itself, with its defaults, its request log on. */
export const plantStore: Target = plantStoreOf(checkout);

/** The service as operators run it, from the build of a checkout. */
export function plantStoreOf(folder: string): Target {
  return {
    name: 'plant-store',
    title: 'Plant Store',
    about: 'The service with its defaults: Express, ts-rest and Prisma, request log on.',
    stores: true,
    async prepare(databaseUrl) {
      const environment = { PORT: '0', DATABASE_URL: databaseUrl };
      const token = await createToken(databaseUrl, [], folder);
      return { file: process.execPath, args: [serviceIn(folder), 'serve'], environment, token };
    },
  };
}

/** Issues a token with these scopes, or with all, and migrates the database before. */
export async function createToken(
  databaseUrl: string,
  scopes: readonly string[],
  folder = checkout,
): Promise<string> {
  const can = scopes.length === 0 ? [] : ['--can', scopes.join()];
  const args = [serviceIn(folder), 'token', 'create', '--name', 'bench', ...can];
  const environment = { PORT: '0', DATABASE_URL: databaseUrl };
  return (await runProgram(process.execPath, args, { environment, timeoutMs: prepareTimeoutMs })).trim();
}

/** The program of the service in a checkout. */
export function serviceIn(folder: string): string {
  return join(folder, 'apps/api/dist/main.js');
}
