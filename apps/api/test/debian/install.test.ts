import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { writeDebianPackage } from '../../scripts/release/write-debian-package.js';
import { readPage, root as repository } from '../support/read-markdown.js';
import { bootDebian, type Debian } from '../support/release/boot-debian.js';
import type {} from '../support/release/global-setup.js';

const { folder, time } = inject('release');
const database = 'var/lib/plant-store/plant-store.db';
const settings = 'etc/plant-store/environment';

let debian: Debian;
/** The names of the package, and of the one of the next version. */
let [current, next] = ['', ''];
beforeAll(async () => {
  const paths = [undefined, '99.0.0-rc.1'].map((version) => {
    const { path } = writeDebianPackage({ folder, time, ...(version !== undefined && { version }) });
    if (path === undefined) throw new Error('These tests need dpkg-deb, and Linux on x64 or arm64.');
    return path;
  });
  debian = await bootDebian('trixie');
  for (const path of paths) cpSync(path, join(debian.root, 'root', basename(path)));
  [current = '', next = ''] = paths.map((path) => basename(path));
});
afterAll(() => debian?.powerOff());

/** Runs a script, which must succeed, and returns its output. */
function succeed(script: string): string {
  const startedAt = performance.now();
  const { exitCode, output } = debian.run(script);
  const [command] = script.split(' -H ');
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s: ${command}`);
  expect({ script, exitCode, output }).toMatchObject({ exitCode: 0 });
  return output;
}

const install = (name: string) => succeed(`apt-get install --yes /root/${name}`);
const has = (path: string) => existsSync(join(debian.root, path));

/** Prints who may use the settings, which may have secrets. */
const modes = `stat -c '%U:%G %a' /etc/plant-store /${settings}`;

let token = '';
const storePlant = () =>
  succeed(
    `curl -si http://127.0.0.1:3000/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ` +
      `-d '{"id":9223372036854775807,"name":"Monstera deliciosa"}'`,
  );

it('is not installed over what was installed by hand, and names that', () => {
  succeed('ln -s plant-store-1.3.0 /opt/plant-store');
  const { exitCode, output } = debian.run(`dpkg --install /root/${current}`);
  expect(exitCode).toBe(1);
  expect(output).toContain('; rm /opt/plant-store; ');
  succeed('rm /opt/plant-store');
});

it('is installed and purged where systemd does not run, as in a chroot', () => {
  const apt = (command: string) => `apt-get ${command} --yes`;
  const steps = [
    'mount -t tmpfs tmpfs /run',
    `${apt('install')} /root/${current}`,
    'readlink /etc/systemd/system/multi-user.target.wants/plant-store.service',
    `${apt('purge')} plant-store`,
  ];
  const output = succeed(`unshare --mount sh -ec '${steps.join('; ')}'`);
  expect(output).toMatch(/^(\/usr)?\/lib\/systemd\/system\/plant-store\.service$/m);
  expect([has('opt/plant-store'), has('etc/plant-store'), has(database)]).toEqual([false, false, false]);
});

it('runs after three commands, with units, user and command', () => {
  const commands = /^```sh\n([\s\S]*?)```$/m.exec(
    readPage('docs/operate/deploy.md').split('## On Debian')[1] ?? '',
  );
  const [, apt = '', create = ''] = (commands?.[1] ?? '').split('\n');
  expect(apt.replace(/amd64|arm64/, '')).toBe(`apt install ./${current.replace(/amd64|arm64/, '')}`);
  install(current);
  [token = ''] = /^pst_\w+$/m.exec(succeed(create)) ?? [];
  expect(storePlant()).toMatch(/^HTTP\/1\.1 200 /);
  expect(succeed('plant-store check')).toContain('ok');
  // Each file has its sum; modes and owners are for lintian.
  expect(succeed('dpkg --verify plant-store')).toBe('');
  expect(succeed(`stat -c '%U:%G %a' /var/lib/plant-store /${database}`)).toBe(
    'plant-store:plant-store 700\nplant-store:plant-store 600\n',
  );
  expect(succeed(modes)).toBe('root:plant-store 750\nroot:plant-store 640\n');
  expect(debian.run(`setpriv --reuid=65534 --regid=65534 --clear-groups cat /${settings}`).exitCode).not.toBe(
    0,
  );
  const others = debian.run('setpriv --reuid=65534 plant-store check');
  expect(others).toMatchObject({ exitCode: 1, output: expect.stringContaining('run it as root') });
  // What a shell runs for any user.
  expect(succeed('setpriv --reuid=65534 plant-store complete -- tok')).toMatch(/^token\t/);
});

it('runs what timers start, and has them enabled', () => {
  for (const path of globSync('deploy/*.timer', { cwd: repository })) {
    const timer = basename(path);
    expect(succeed(`systemctl is-enabled ${timer}; systemctl is-active ${timer}`)).toBe('enabled\nactive\n');
    succeed(`systemctl start ${timer.replace('.timer', '.service')}`);
  }
});

it('is upgraded with its plants, after it has drained, and keeps changed settings', () => {
  succeed(`echo DRAIN_DELAY_MS=100 >>/${settings}; systemctl restart plant-store`);
  // As a version before 1.5 has installed it.
  succeed(
    `chown root:root /etc/plant-store /${settings}; chmod 755 /etc/plant-store; chmod 644 /${settings}`,
  );
  install(next);
  expect(succeed(modes)).toBe('root:plant-store 750\nroot:plant-store 640\n');
  expect(storePlant()).toMatch(/^HTTP\/1\.1 200 [\s\S]*^Idempotent-Replayed: true\r$/im);
  expect(readFileSync(join(debian.root, settings), 'utf8')).toContain('\nDRAIN_DELAY_MS=100\n');
  expect(succeed('journalctl --unit=plant-store --output=cat').match(/"msg":"stopped"/g)).toHaveLength(2);
  expect(succeed('systemctl is-enabled plant-store')).toBe('enabled\n');
});

it('leaves its plants when it is removed and purged, and has them when it is installed again', () => {
  succeed('apt-get remove --yes plant-store');
  expect(debian.run('systemctl is-active plant-store').output).toBe('inactive\n');
  expect([has('opt/plant-store'), has(settings), has(database)]).toEqual([false, true, true]);
  expect(succeed('apt-get purge --yes plant-store')).toContain(
    'the database in /var/lib/plant-store and the user plant-store were not removed',
  );
  expect([has('etc/plant-store'), has(database)]).toEqual([false, true]);
  expect(debian.run('ls /etc/systemd/system/*/plant-store*').exitCode).not.toBe(0);
  install(current);
  expect(storePlant()).toMatch(/^Idempotent-Replayed: true\r$/im);
});
