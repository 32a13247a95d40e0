import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { startService } from '../support/start-service.js';
import type { Report } from './describe-outcomes.js';

/** Runs a program of the project against a service of its own, whose store is empty, and returns what it prints. */
export async function runProgram(
  project: string,
  program: string,
  typeOfId: 'number' | 'bigint',
): Promise<Report> {
  const outfile = join(project, `${program}.js`);
  await build({
    entryPoints: [join(project, `${program}.ts`)],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const { baseUrl, token, stop } = await startService(mkdtempSync(join(project, 'service-')));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, baseUrl, token, typeOfId]);
    return JSON.parse(stdout);
  } finally {
    await stop();
  }
}
