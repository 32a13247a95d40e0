import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../processes/run-program.js';
import type { Target } from '../target.js';
import { goFiles, missingPackages } from './missing-packages.js';

/** Beside this file in `src`, also for the build of this file in `dist`. */
const source = fileURLToPath(new URL('../../../src/targets/go-sqlite/main.go', import.meta.url));

/** The first build compiles the SQLite driver. */
const buildTimeoutMs = 180_000;

/** A server in Go that commits as the service does: many creates in one transaction. Built beside its database. */
export const goSqlite: Target = {
  name: 'go-sqlite',
  title: 'Go, group commit',
  about:
    "Go's net/http and go-sqlite3: a writer commits all creates that wait in one transaction; no request log.",
  stores: true,
  whyLeftOut() {
    const packages = missingPackages('/');
    return packages.length === 0 ? undefined : `apt-get install ${packages.join(' ')}`;
  },
  async prepare(databaseUrl) {
    const server = join(dirname(databaseUrl.replace(/^file:/, '')), 'go-sqlite-server');
    await runProgram(goFiles.go, ['build', '-o', server, source], {
      environment: {
        PATH: '/usr/bin:/bin',
        // Where Go keeps what it has compiled.
        HOME: homedir(),
        GO111MODULE: 'off',
        GOPATH: goFiles.path,
      },
      timeoutMs: buildTimeoutMs,
    });
    const token = `pst_${randomBytes(24).toString('hex')}`;
    return { file: server, args: [databaseUrl, token], environment: {}, token };
  },
};
