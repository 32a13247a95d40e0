// Checks the packages as consumers get them: packed, outside of the workspace. Names on the command line limit it to these
// checks. What docs/use/compatibility.md says of them is compared, or written (--write).
import { tryBundlers } from './bundlers.js';
import { checkLibraries, tryTypeScript } from './consumers.js';
import { checkTable, type Table } from './documented-table.js';
import { lintPages } from './lint.js';
import { checkManifests, checkOpenApi } from './manifests.js';
import { tryPackageManagers } from './package-managers.js';
import { checkSize, checkTypeCost } from './size.js';
import { type Packed, withPackedPackages } from './support.js';

/** What each check throws if it fails; it returns a table of the page, if it has one. */
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

const given = process.argv.slice(2).filter((name) => name !== '--write');
const unknown = given.filter((name) => checks[name] === undefined);
if (unknown.length > 0) throw new Error(`${unknown} is none of ${Object.keys(checks).join(', ')}`);

await withPackedPackages(async (packed) => {
  for (const [name, check] of Object.entries(checks)) {
    if (given.length > 0 && !given.includes(name)) continue;
    const startedAtMs = performance.now();
    const table = await check(packed);
    if (table) checkTable('docs/use/compatibility.md', table);
    console.log(`${name}: ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  }
});
