import { fileURLToPath } from 'node:url';
import { runProgram } from '../processes/run-program.js';
import type { Target } from './target.js';

/** The build of the service, as operators run it. */
const main = fileURLToPath(new URL('../../../../apps/api/dist/main.js', import.meta.url));

const prepareTimeoutMs = 60_000;

/** The service itself, with its defaults, its request log on. */
export const plantStore: Target = {
  name: 'plant-store',
  title: 'Plant Store',
  about: 'The service with its defaults: Express, ts-rest and Prisma, request log on.',
  stores: true,
  async prepare(databaseUrl) {
    const environment = { PORT: '0', DATABASE_URL: databaseUrl };
    const token = await runProgram(process.execPath, [main, 'token', 'create', '--name', 'bench'], {
      environment,
      timeoutMs: prepareTimeoutMs,
    });
    return { file: process.execPath, args: [main, 'serve'], environment, token: token.trim() };
  },
};
