import { copyFileSync, linkSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteDatabase } from '../databases/sqlite.js';
import { withDatabases } from '../databases/with-databases.js';
import { comparePlants } from '../load/compare-plants.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import type { RunningService } from '../service/start-service.js';
import { beginOutage, causeOutage, checkService, type Outage } from './outage.js';

/**
 * Moves the file away, replaces or deletes it under a running service. What is back must be used again; of a deleted file the
 * service has a copy, from which docs/operate/sqlite.md restores everything.
 */
export async function loseFile(context: ProofContext): Promise<ProofResult> {
  const { seed, amount, settings, trials, log } = context;
  const losses = trials?.['disk-gone'] ?? { short: 3, full: 30 }[amount];
  const random = createRandom(seed);
  const tally = new Tally();
  let done = 0;
  await withDatabases('sqlite', async ({ folder, server }) => {
    for (; done < losses && tally.failures.length === 0; done++) {
      const database = await server.createDatabase();
      const path = fileURLToPath(database.url);
      const options = { database, random: random.fork(), logFile: join(folder, 'service.log'), settings };
      await withTrial(options, async (trial) => {
        const service = await trial.launch().started;
        if (done % 3 === 2) await deleteFile(trial, service, path, tally);
        else {
          await causeOutage(trial, service, done % 3 === 0 ? moveAway(path) : replace(path), tally);
          tally.addDatabase(await trial.compareAll(), []);
        }
      });
    }
  });
  log(`took the file away ${done} times`);
  return tally.toResult('A 200 is stored, or nothing is acknowledged, when the file is gone', {
    losses: done,
  });
}

function moveAway(path: string): Outage {
  return { begin: () => renameSync(path, `${path}.away`), end: () => renameSync(`${path}.away`, path) };
}

function replace(path: string): Outage {
  return {
    begin() {
      linkSync(path, `${path}.original`);
      copyFileSync(path, `${path}.other`);
      renameSync(`${path}.other`, path);
    },
    end: () => renameSync(`${path}.original`, path),
  };
}

async function deleteFile(trial: Trial, service: RunningService, path: string, tally: Tally): Promise<void> {
  const kept = join(`${path}.kept`, 'plant-store.db');
  mkdirSync(`${path}.kept`);
  const load = await beginOutage(trial, service, { begin: () => rmSync(path) }, tally);
  copyOpenFiles(service.pid, path, kept);
  await load.stop();
  checkService(trial, service, tally);
  await service.kill();
  const restored = openSqliteDatabase(kept);
  tally.addDatabase(comparePlants(trial.ledger, await restored.readRows()), await restored.findDamage());
}

/** Copies a deleted file and its log from a process that has them open, as docs/operate/sqlite.md describes. */
function copyOpenFiles(pid: number, path: string, target: string): void {
  const folder = `/proc/${pid}/fd`;
  for (const descriptor of readdirSync(folder)) {
    const link = readLink(join(folder, descriptor));
    if (link === `${path} (deleted)`) copyFileSync(join(folder, descriptor), target);
    if (link === `${path}-wal`) copyFileSync(join(folder, descriptor), `${target}-wal`);
  }
}

/** Where a link leads; a descriptor, such as that of a connection, may be closed meanwhile. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
