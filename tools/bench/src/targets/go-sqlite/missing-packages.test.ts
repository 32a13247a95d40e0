import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { missingPackages } from './missing-packages.js';

it('names the Debian packages that the Go server still needs, until all are installed', () => {
  const root = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const install = (path: string) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), '');
  };

  expect(missingPackages(root)).toEqual([
    'golang-go',
    'gcc',
    'libc6-dev',
    'golang-github-mattn-go-sqlite3-dev',
  ]);
  install('usr/bin/go');
  install('usr/include/stdlib.h');
  expect(missingPackages(root)).toEqual(['gcc', 'golang-github-mattn-go-sqlite3-dev']);
  install('usr/bin/gcc');
  install('usr/share/gocode/src/github.com/mattn/go-sqlite3/sqlite3.go');
  expect(missingPackages(root)).toEqual([]);
});
