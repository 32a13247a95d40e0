import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findPrograms, makeRunnable } from './find-programs.js';
import { findServerUser } from './server-user.js';

it("finds programs that the server's user can run, even in a folder that only the current user has access to", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'find-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const { postgres } = await findPrograms();
  cpSync(dirname(dirname(postgres)), join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
  const bin = join(closed, 'native/bin');
  const user = findServerUser();
  const inClosed = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  const programs = makeRunnable(inClosed, user, join(folder, 'copy'));
  for (const program of [programs.postgres, programs.initdb]) {
    const { status, stdout } = spawnSync(program, ['--version'], { cwd: '/', encoding: 'utf8', ...user });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('PostgreSQL') });
  }
});
