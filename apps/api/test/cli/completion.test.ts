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
])('completes %j with %j', async (words, offered) => {
  const { stdout } = await run('complete', '--', ...words.split(' '));
  const lines = stdout.trim().split('\n').slice(0, -1);
  expect(lines.map((line) => line.split('\t')[0]).join(' ')).toBe(offered);
});

it('prints a script that calls `plant-store complete`, for shells that it knows', async () => {
  expect((await run('completion', 'bash')).stdout).toMatch(/plant-store\W+complete\b/);
  const unknown = {
    exitCode: 2,
    stderr: expect.stringContaining('choices are bash, zsh, fish, powershell.'),
  };
  expect(await run('completion', 'tcsh')).toMatchObject(unknown);
});
