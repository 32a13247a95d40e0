// Checks the packages as consumers get them: packed, and outside the workspace. Names on the command line select checks. Compares their
// tables with docs/use/compatibility.md, or writes them there (--write).
import { tryBundlers } from './bundlers.js';
import { checkLibraries, tryTypeScript } from './consumers.js';
import { checkTable, type Table } from './documented-table.js';
import { lintPages } from './lint.js';
import { checkManifests, checkOpenApi } from './manifests.js';
import { tryPackageManagers } from './package-managers.js';
import { checkSize, checkTypeCost } from './size.js';
import { type Packed, withPackedPackages } from './support.js';

/** The checks by name. Each throws if it fails. Some return a table to compare with the page. */
const checks: Readonly<Record<string, (packed: Packed) => Promise<Table> | Table | Promise<void> | void>> = {
  manifests: checkManifests,
  openapi: checkOpenApi,
  size: checkSize,
  'type-cost': checkTypeCost,
  typescript: tryTypeScript,
  libraries: checkLibraries,
  lint: lintPages,
  'package-managers': tryPackageManagers,
  bundlers: tryBundlers,
};

const selected = process.argv.slice(2).filter((name) => name !== '--write');
const unknown = selected.filter((name) => checks[name] === undefined);
if (unknown.length > 0)
  throw new Error(`Unknown check ${unknown}. The checks are ${Object.keys(checks).join(', ')}.`);

await withPackedPackages(async (packed) => {
  for (const [name, check] of Object.entries(checks)) {
    if (selected.length > 0 && !selected.includes(name)) continue;
    const startedAtMs = performance.now();
    const table = await check(packed);
    if (table) checkTable('docs/use/compatibility.md', table);
    console.log(`${name}: ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  }
});
