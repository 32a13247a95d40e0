import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { childrenOf } from '../support/process/processes.js';
import { createRoot, nodePath } from '../support/release/create-root.js';
import { startInRoot } from '../support/release/start-in-root.js';
import { until } from '../support/until.js';

const root = createRoot();
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a test that does not end what it started', () => {
  let pid: number;

  it('starts it', async () => {
    const user = { uid: 65_534, gid: 65_534 };
    const confinement = { root, volumes: {}, workingFolder: '/', user, environment: {} };
    const program = "console.log('started'); setInterval(() => {}, 1_000)";
    const { process, waitFor } = startInRoot(confinement, [nodePath, '--eval', program]);
    await waitFor(/started/);
    pid = childrenOf(process.pid)[0] ?? 0;
    expect(existsSync(`/proc/${pid}/task`)).toBe(true);
  });

  it('leaves no process behind', async () => {
    await until(() => !existsSync(`/proc/${pid}/task`));
  });
});

it('names the right that is missing where mounts are forbidden', () => {
  const file = fileURLToPath(new URL('../support/release/create-root.ts', import.meta.url));
  const program = `import(${JSON.stringify(file)}).then(({ createRoot }) => createRoot())`;
  const withoutRight = ['--bounding-set', '-sys_admin', process.execPath, '--eval', program];
  const { status, stderr } = spawnSync('/usr/bin/setpriv', withoutRight, { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('These tests need the right to mount (CAP_SYS_ADMIN): unshare: ');
});
