import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

it.each([
  [['--only', 'unknown'], 'Unknown proof unknown.'],
  [['--seed', '2147483648'], 'Expected an integer from 0 to 2147483647.'],
  [['--amount', 'medium'], 'Allowed choices are short, full.'],
  [['--setting', 'WORKERS'], 'Expected a name and a value, such as WORKERS=2.'],
  [['--trials', 'crash-sqlite'], 'Expected a name and a count, such as crash-sqlite=50.'],
  [['--trials', 'crash-mysql=1'], 'Unknown kind crash-mysql.'],
])('rejects %j', (args, message) => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});
