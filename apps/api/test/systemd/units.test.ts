import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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
  installShipped(unit);
  for (const target of readdirSync(systemUnits).filter((name) => /\.(target|slice)$/.test(name)))
    cpSync(join(systemUnits, target), join(root, systemUnits, target));
  for (const program of ['/usr/bin/node', '/opt/plant-store/dist/main.js']) {
    mkdirSync(dirname(join(root, program)), { recursive: true });
    writeFileSync(join(root, program), '', { mode: 0o755 });
  }
});

function installShipped(name: string): void {
  cpSync(join(deploy, name), join(root, 'etc/systemd/system', name));
}

function analyze(args: readonly string[], ...units: readonly string[]) {
  const all = [...args, `--root=${root}`, ...units];
  const { status, stdout, stderr, error } = spawnSync('systemd-analyze', all, { encoding: 'utf8' });
  if (error !== undefined) throw new Error("Install Debian's package systemd.", { cause: error });
  return { status, output: `${stdout}${stderr}` };
}

describe.each(['SQLite', 'PostgreSQL'])('the unit for %s', (engine) => {
  beforeEach(() => {
    if (engine === 'PostgreSQL') installShipped(dropIn);
  });

  it('has only settings that systemd knows, and programs that a release has', () => {
    expect(analyze(['verify', '--man=no'], unit)).toEqual({ status: 0, output: '' });
  });

  it('exposes the machine to little', () => {
    const args = ['security', '--offline=true', `--threshold=${maxExposure}`];
    const { status, output } = analyze(args, unit);
    expect(output).toMatch(/Overall exposure level for plant-store\.service: \d\.\d OK/);
    expect(status, output).toBe(0);
  });
});

it('the units of the nightly backup have only settings that systemd knows', () => {
  const units = ['plant-store-backup.service', 'plant-store-backup.timer'];
  for (const name of units) installShipped(name);
  expect(analyze(['verify', '--man=no'], ...units)).toEqual({ status: 0, output: '' });
});
