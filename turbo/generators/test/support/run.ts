import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { expect } from 'vitest';

/** Runs a program of `node_modules/.bin` by the Node.js that runs the tests; gives its exit status and all that it printed. */
export function run(folder: string, program: string, ...options: readonly string[]) {
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
  const { status, stdout, stderr, error } = spawnSync(`node_modules/.bin/${program}`, options, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: path, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off' },
  });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}` };
}

/** Does the same, and expects that it succeeds; returns what it printed. */
export function expectSuccess(...command: Parameters<typeof run>): string {
  const { status, output } = run(...command);
  expect(status, output).toBe(0);
  return output;
}

/**
 * Type-checks a workspace, as one of its configurations says; returns its exit status and output. Declarations of
 * dependencies are not checked, which takes half of the time and is up to `pnpm typecheck`.
 */
export function checkTypes(workspace: string, project = 'tsconfig.json') {
  return run(workspace, 'tsc', '-p', project, '--pretty', 'false', '--skipLibCheck');
}
