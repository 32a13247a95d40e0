import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { writeDebianPackage } from '../../scripts/release/write-debian-package.js';
import type {} from '../support/release/global-setup.js';

it('has the same bytes each time, and follows the policy of Debian, but for what lintian-overrides gives reasons for', () => {
  const write = () => writeDebianPackage(inject('release')).path ?? '';
  const first = readFileSync(write());
  const path = write();
  expect(readFileSync(path).equals(first)).toBe(true);
  const { status, stdout } = spawnSync('lintian', ['--fail-on', 'error,warning', path], { encoding: 'utf8' });
  expect({ status, found: stdout.match(/^[EW]: .*/gm) }).toEqual({ status: 0, found: null });
});
