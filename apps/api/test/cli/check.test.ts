import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failed, issueToken } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

it('prints one line for each item, and succeeds unless one is an error', async () => {
  const { folder, run } = useCommands({ PORT: '0' });
  await issueToken({ folder });
  const { exitCode, stdout, stderr } = await run('check');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => !/^(ok {5}|warning|error {2}) {2}[\w. ]+: .+[.!?]$/.test(line))).toEqual([]);
  expect(lines.length).toBeGreaterThan(9);
  expect(stdout).toContain('ok       access tokens: 1 valid.\n');
  expect(stderr).toMatch(/^0 errors and \d+ warnings?\n$/);
  expect(exitCode).toBe(0);
});

it('fails with the number of errors', async () => {
  const { folder, run } = useCommands({ DATABASE_URL: 'file:notes.txt' });
  writeFileSync(join(folder, 'notes.txt'), 'These are no plants. '.repeat(100));
  const counted = /^plant-store: The check found 1 error and \d+ warnings?\.\n$/;
  const found = /^error {4}database: .* is damaged, or is not a database/m;
  expect(await run('check')).toEqual(failed(counted, found));
});

it('lists all invalid settings, and fails with exit status 2', async () => {
  const { exitCode, stdout, stderr } = await useCommands({
    PORT: 'x',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:secret@db/plants',
    LOGLEVEL: 'info',
  }).run('check');
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL'])
    expect.soft(stdout).toContain(`error    configuration: ${name} must be`);
  expect(stdout).toContain('warning  configuration: LOGLEVEL is set but ignored.');
  expect(stdout).not.toContain('secret');
  expect(stderr).toBe('plant-store: The check found 3 errors and 1 warning.\n');
  expect(exitCode).toBe(2);
});

it('prints one JSON document, also with errors', async () => {
  const { exitCode, stdout, stderr } = await useCommands({ PORT: '0' }).run('check --json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const status = 'warning';
  const found = expect.stringContaining('does not exist yet');
  const advice = expect.stringContaining('serve and migrate commands create it');
  const findings = expect.arrayContaining([{ item: 'database', status, found, advice }]);
  expect(JSON.parse(stdout)).toMatchObject({ status, findings });
  const invalid = await useCommands({ PORT: 'x' }).run('check --json');
  expect([invalid.exitCode, JSON.parse(invalid.stdout).status]).toEqual([2, 'error']);
});
