import { expect, it } from 'vitest';
import { runCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = (...args: string[]) => runCommand(args, { folder: temporaryFolder() });

it.each([
  ['tok', 'token'],
  ['comple', 'completion'],
  ['token cr', 'create'],
  ['serve --qu', '--quickstart'],
  ['export --format ', 'ndjson csv'],
  ['completion f', 'fish'],
])('completes %j with %j', async (words, offered) => {
  const { exitCode, stdout } = await run('complete', '--', ...words.split(' '));
  expect(exitCode).toBe(0);
  const lines = stdout.trim().split('\n').slice(0, -1);
  expect(lines.map((line) => line.split('\t')[0]).join(' ')).toBe(offered);
});

it.each(['bash', 'zsh', 'fish', 'powershell'])(
  'prints a script for %s, which asks for that',
  async (shell) => {
    const { exitCode, stdout, stderr } = await run('completion', shell);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/plant-store\W+complete\b/);
  },
);

it('knows no other shell', async () => {
  const { exitCode, stderr } = await run('completion', 'tcsh');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish, powershell.');
});
