import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { findCommit } from './find-commit.js';

/** Creates a repository with one commit, and returns its folder and the hash of the commit. */
function createRepository(): { readonly folder: string; readonly hash: string } {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' },
    });
  writeFileSync(join(folder, 'file'), 'committed');
  git('init', '--quiet');
  git('add', 'file');
  git('commit', '--quiet', '--message=first');
  return { folder, hash: git('rev-parse', 'HEAD').trim() };
}

it('finds the commit of a clean work tree, and its time', () => {
  const { folder, hash } = createRepository();
  expect(findCommit(folder)).toEqual({ id: hash, time: new Date('2026-01-02T03:04:05Z') });
});

it.each(['file', 'new-file'])('marks a work tree with changes in %s', (name) => {
  const { folder, hash } = createRepository();
  writeFileSync(join(folder, name), 'changed');
  expect(findCommit(folder).id).toBe(`${hash}-dirty`);
});

it('knows no commit outside of a repository, or of a folder inside another one', () => {
  expect(findCommit(temporaryFolder())).toEqual({ id: 'unknown', time: undefined });
  const { folder } = createRepository();
  mkdirSync(join(folder, 'nested'));
  expect(findCommit(join(folder, 'nested'))).toEqual({ id: 'unknown', time: undefined });
});
