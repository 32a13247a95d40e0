import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/**
 * Adds up what the page loads before anybody does anything, by Brotli: its document, scripts, styles, and font. It fails beyond the
 * budget. Run it after the build.
 */
const budgetBytes = 116_000;
const dist = join(import.meta.dirname, '../dist');

const html = readFileSync(join(dist, 'index.html'), 'utf8');
const loaded = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css|woff2))"/g)].flatMap(
  ([, path]) => path ?? [],
);
for (const type of ['.js', '.css', '.woff2'])
  if (!loaded.some((path) => path.endsWith(type)))
    throw new Error(`index.html loads no ${type}: the check looks for the wrong thing.`);

const sizes = ['index.html', ...loaded].map((path) => {
  const content = readFileSync(join(dist, path));
  // A font is compressed already.
  return { path, bytes: path.endsWith('.woff2') ? content.length : brotliCompressSync(content).length };
});
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { path, bytes } of sizes) console.log(`${bytes}\t${path}`);
console.log(`first view: ${total} of ${budgetBytes} bytes, by Brotli`);
if (total > budgetBytes) process.exitCode = 1;
