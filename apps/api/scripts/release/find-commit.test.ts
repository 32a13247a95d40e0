import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { findCommit } from './find-commit.js';

it('finds the commit of a work tree and its time, marks changes, and knows none of another folder', () => {
  const folder = temporaryFolder();
  expect(findCommit(folder)).toEqual({ id: 'unknown', time: undefined });
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  const env = { ...process.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, ...identity, ...args], { encoding: 'utf8', env });
  writeFileSync(join(folder, 'file'), 'committed');
  git('init', '--quiet');
  git('add', 'file');
  git('commit', '--quiet', '--message=first');
  const id = git('rev-parse', 'HEAD').trim();
  expect(findCommit(folder)).toEqual({ id, time: new Date('2026-01-02T03:04:05Z') });

  mkdirSync(join(folder, 'nested'));
  expect(findCommit(join(folder, 'nested'))).toEqual({ id: 'unknown', time: undefined });
  for (const name of ['file', 'new-file']) {
    writeFileSync(join(folder, name), 'changed');
    expect(findCommit(folder).id).toBe(`${id}-dirty`);
    git('checkout', '--quiet', 'file');
  }
});
