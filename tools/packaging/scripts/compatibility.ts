// Tries the packed client with package managers, versions of TypeScript, bundlers, runtimes and test runners, and compares what
// came of it with the tables in docs/use/compatibility.md, or writes them (--write). Names of parts on the command line limit it
// to them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { tryBundlers } from './compatibility/bundlers.js';
import { tryLibraries } from './compatibility/libraries.js';
import { tryPackageManagers } from './compatibility/package-managers.js';
import { tryRuntimes } from './compatibility/runtimes.js';
import { tryTestRunners } from './compatibility/test-runners.js';
import { tryTypeScript } from './compatibility/typescript.js';
import { checkRows, checkTables, type Table } from './support/documented-table.js';
import { type Packed, withPackedPackages } from './support/pack.js';
import { type RunningService, startService } from './support/start-service.js';

type Try = (folder: string, client: string) => Table | Promise<Table>;

const parts: Readonly<Record<string, Try>> = {
  'package-managers': (folder, client) => tryPackageManagers(folder, client, { forCi: false }),
  typescript: (folder, client) => tryTypeScript(folder, client, { ends: false }),
  libraries: tryLibraries,
  bundlers: (folder, client) => withService(folder, (service) => tryBundlers(folder, client, service)),
  runtimes: (folder, client) => withService(folder, (service) => tryRuntimes(folder, client, service)),
  'test-runners': tryTestRunners,
};
const page = 'docs/use/compatibility.md';

const names = process.argv.slice(2).filter((name) => name !== '--write');
const unknown = names.filter((name) => name !== 'ci' && parts[name] === undefined);
if (unknown.length > 0) throw new Error(`${unknown} is none of ci, ${Object.keys(parts).join(', ')}`);

await withPackedPackages(names.includes('ci') ? tryForCi : tryParts);

/** What CI runs: the newest package managers, the oldest and the newest TypeScript, and the test runners. */
async function tryForCi({ folder, tarballs }: Packed): Promise<void> {
  checkRows(page, await tryPackageManagers(folder, tarballs.client, { forCi: true }));
  checkRows(page, tryTypeScript(folder, tarballs.client, { ends: true }));
  checkTables(page, [tryTestRunners(folder, tarballs.client)]);
}

async function tryParts({ folder, tarballs }: Packed): Promise<void> {
  const tables: Table[] = [];
  for (const [name, tryPart] of Object.entries(parts)) {
    if (names.length === 0 || names.includes(name)) tables.push(await tryPart(folder, tarballs.client));
  }
  checkTables(page, tables);
}

/** Starts a service for `use`, and checks that it stored exactly the plant that all programs create. */
async function withService(folder: string, use: (service: RunningService) => Table): Promise<Table> {
  const data = join(folder, 'service');
  mkdirSync(data, { recursive: true });
  const service = await startService(data);
  try {
    const table = use(service);
    const stored = service.exportPlants();
    if (!/^\{"id":9223372036854775807,"name":"Rose","addedAt":"[^"]+"\}$/.test(`${stored}`)) {
      throw new Error(`Stored: ${stored}`);
    }
    return table;
  } finally {
    await service.stop();
  }
}
