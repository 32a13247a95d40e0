import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { root } from '../support/read-markdown.js';

/** The name of the product, in all its spellings. */
const product = /plant[-_ ]?stores?/gi;

/** The lines of code that name a resource, comments among them. */
function listLines(pattern: string): string[] {
  const names = Object.values(resources).flatMap(({ name, plural }) => [plural, name]);
  const named = new RegExp(names.join('|'), 'i');
  return globSync(pattern, { cwd: root })
    .filter((file) => !/\.test(-d)?\.ts$|\/generated\//.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          named.test(line.replaceAll(product, '')) ? `${file}:${index + 1}: ${line.trim()}` : [],
        ),
    );
}

/** The files that may: the list of resources, and those with a name that users know from when there was one resource. */
const allowed = [
  'resources.ts',
  // The variable QUEUE_MAX_PLANTS.
  'config.ts',
  // The reason waiting_plants, which a metric has as a label.
  'errors/service-error.ts',
  // The metric plant_store_commit_plants.
  'observe/commit-health.ts',
  // The metric plant_store_queue_plants.
  'observe/metrics.ts',
  // The table plants_change_base, which a released migration created.
  'store/postgresql/list-changes.ts',
].map((file) => `apps/api/src/${file}`);

it.each(['apps/api/src', 'packages/records/src'])('%s names no resource', (folder) => {
  const lines = listLines(`${folder}/**/*.{ts,js}`);
  expect(lines.filter((line) => !allowed.some((file) => line.startsWith(`${file}:`)))).toEqual([]);
});
