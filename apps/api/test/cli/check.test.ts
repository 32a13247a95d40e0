import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { issueToken, runCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const environment = { PORT: '0' };

it('prints one line for each item, and succeeds unless one is an error', async () => {
  const folder = temporaryFolder();
  await issueToken({ folder });
  const { exitCode, stdout, stderr } = await runCommand(['check'], { folder, environment });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => !/^(ok {5}|warning|error {2}) {2}[\w. ]+: .+[.!?]$/.test(line))).toEqual([]);
  expect(lines.length).toBeGreaterThan(10);
  expect(stdout).toContain('ok       access tokens: 1 valid.\n');
  expect(stderr).toMatch(/^0 errors, \d+ warnings?\n$/);
  expect(exitCode).toBe(0);
});

it('fails with the number of errors', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'notes.txt'), 'These are no plants. '.repeat(100));
  const { exitCode, stdout, stderr } = await runCommand(['check'], {
    folder,
    environment: { DATABASE_URL: 'file:notes.txt' },
  });
  expect(stdout).toMatch(/^error {4}database: .* is damaged, or is not a database/m);
  expect(stderr).toMatch(/^plant-store: The check found 1 error, \d+ warnings?\.\n$/);
  expect(exitCode).toBe(1);
});

it('lists all invalid settings, and fails with exit status 2', async () => {
  const invalid = {
    PORT: 'x',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:secret@db/plants',
    LOGLEVEL: 'info',
  };
  const { exitCode, stdout, stderr } = await runCommand(['check'], {
    folder: temporaryFolder(),
    environment: invalid,
  });
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) {
    expect.soft(stdout).toContain(`error    configuration: ${name} must be`);
  }
  expect(stdout).toContain('warning  configuration: LOGLEVEL is set, and ignored.');
  expect(stdout).not.toContain('secret');
  expect(stderr).toBe('plant-store: The check found 3 errors, 1 warning.\n');
  expect(exitCode).toBe(2);
});

it('prints one JSON document, also with errors', async () => {
  const call = { folder: temporaryFolder(), environment };
  const { exitCode, stdout, stderr } = await runCommand(['check', '--json'], call);
  const report = JSON.parse(stdout);
  expect(report.status).toBe('warning');
  expect(report.findings).toContainEqual({
    item: 'database',
    status: 'warning',
    found: expect.stringContaining('there is no'),
    advice: expect.stringContaining('serve and migrate create it'),
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });

  const invalid = await runCommand(['check', '--json'], { ...call, environment: { PORT: 'x' } });
  expect(JSON.parse(invalid.stdout).status).toBe('error');
  expect(invalid.exitCode).toBe(2);
});
