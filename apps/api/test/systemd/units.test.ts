import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url));
const unit = 'plant-store.service';
const dropIn = `${unit}.d/postgresql.conf`;
const systemUnits = '/usr/lib/systemd/system';

/** The highest level of exposure that the unit may have, in tenths. */
const maxExposure = '11';

/** A folder like the root of a machine on which the unit is installed. */
let root = '';
beforeEach(() => {
  root = temporaryFolder();
  install(unit, readFileSync(join(deploy, unit), 'utf8'));
  for (const target of readdirSync(systemUnits).filter((name) => /\.(target|slice)$/.test(name)))
    cpSync(join(systemUnits, target), join(root, systemUnits, target));
  for (const program of ['/usr/bin/node', '/opt/plant-store/dist/main.js']) {
    mkdirSync(dirname(join(root, program)), { recursive: true });
    writeFileSync(join(root, program), '', { mode: 0o755 });
  }
});

function install(name: string, content: string): void {
  const path = join(root, 'etc/systemd/system', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function analyze(...args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', [...args, `--root=${root}`, unit], {
    encoding: 'utf8',
  });
  if (error !== undefined) throw new Error("Install Debian's package systemd.", { cause: error });
  return { status, output: `${stdout}${stderr}` };
}

describe.each([
  { engine: 'SQLite', dropIns: [] },
  { engine: 'PostgreSQL', dropIns: [dropIn] },
])('the unit for $engine', ({ dropIns }) => {
  beforeEach(() => {
    for (const name of dropIns) install(name, readFileSync(join(deploy, name), 'utf8'));
  });

  it('has only settings that systemd knows, and programs that a release has', () => {
    expect(analyze('verify', '--man=no')).toEqual({ status: 0, output: '' });
  });

  it('exposes the machine to little', () => {
    const { status, output } = analyze('security', '--offline=true', `--threshold=${maxExposure}`);
    expect(output).toMatch(/Overall exposure level for plant-store\.service: \d\.\d OK/);
    expect(status, output).toBe(0);
  });
});

it('the units of the nightly backup have only settings that systemd knows', () => {
  const units = ['plant-store-backup.service', 'plant-store-backup.timer'];
  for (const name of units) install(name, readFileSync(join(deploy, name), 'utf8'));
  const { status, stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', `--root=${root}`, ...units],
    { encoding: 'utf8' },
  );
  expect({ status, output: `${stdout}${stderr}` }).toEqual({ status: 0, output: '' });
});
