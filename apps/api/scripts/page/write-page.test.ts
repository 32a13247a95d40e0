import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { testPage, writeTestPage } from '../../test/support/write-test-page.js';

it('writes each file, the same compressed where that is smaller, their list, and no source map', () => {
  const folder = writeTestPage(testPage);
  const compressed = ['assets/index-BjGIhLHV.js', 'assets/index-C_NqZPfo.css', 'index.html'];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(names.toSorted()).toEqual(
    [
      'assets',
      'files.json',
      'icon.svg',
      ...compressed.flatMap((name) => [name, `${name}.br`, `${name}.gz`]),
    ].toSorted(),
  );
  const script = testPage['assets/index-BjGIhLHV.js'];
  const read = (suffix: string) => readFileSync(join(folder, `assets/index-BjGIhLHV.js${suffix}`));
  expect(brotliDecompressSync(read('.br')).toString()).toBe(script);
  expect(gunzipSync(read('.gz')).toString()).toBe(script);
});

it('leaves out what an earlier build has left', () => {
  const folder = writeTestPage({ ...testPage, 'assets/index-00000000.js': 'earlier', 'assets/old.js': '' });
  expect(readFileSync(join(folder, 'files.json'), 'utf8')).not.toMatch(/index-00000000|old/);
});

it('rejects a page without a document', () => {
  const { 'index.html': _, ...others } = testPage;
  expect(() => writeTestPage(others)).toThrow('has no index.html: build apps/web first.');
});

it('rejects a file that would be cached forever though its name may stay when its content changes', () => {
  const script = `${testPage['assets/index-BjGIhLHV.js']}new Worker('/assets/worker.js')`;
  const files = { ...testPage, 'assets/index-BjGIhLHV.js': script, 'assets/worker.js': '' };
  expect(() => writeTestPage(files)).toThrow('assets/worker.js has no hash in its name');
});
