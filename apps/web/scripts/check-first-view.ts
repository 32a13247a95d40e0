import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/**
 * Adds up the scripts that the page loads before anybody does anything, by brotli, and fails beyond the budget. Run it after
 * the build.
 */
const budgetBytes = 105_000;
const dist = join(import.meta.dirname, '../dist');

const html = readFileSync(join(dist, 'index.html'), 'utf8');
const scripts = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].flatMap(
  ([, path]) => path ?? [],
);
if (scripts.length === 0) throw new Error('index.html loads no script: the check looks for the wrong thing.');

const sizes = scripts.map((path) => ({
  path,
  bytes: brotliCompressSync(readFileSync(join(dist, path))).length,
}));
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { path, bytes } of sizes) console.log(`${bytes}\t${path}`);
console.log(`first view: ${total} of ${budgetBytes} bytes of script, by brotli`);
if (total > budgetBytes) process.exitCode = 1;
