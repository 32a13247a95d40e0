import { execFileSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, inject, it } from 'vitest';
import { writeDebianPackage } from '../../scripts/release/write-debian-package.js';
import { environmentVariables, parseConfig } from '../../src/config.js';
import { readPage } from '../support/read-markdown.js';
import type {} from '../support/release/global-setup.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { folder, time } = inject('release');
const application = 'opt/plant-store';

/** The packages of the libraries. */
const packageOf: Readonly<Record<string, string>> = {
  'libatomic.so.1': 'libatomic1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libstdc++.so.6': 'libstdc++6',
  ...Object.fromEntries(
    ['c.so.6', 'dl.so.2', 'm.so.6', 'pthread.so.0'].map((name) => [`lib${name}`, 'libc6']),
  ),
};

let path: string;
/** What is installed, and in `DEBIAN` what controls that. */
let root: string;
let paths: readonly string[];

beforeAll(() => {
  const written = writeDebianPackage({ folder, time });
  if (written.path === undefined) throw new Error('These tests need dpkg-deb, and Linux on x64 or arm64.');
  path = written.path;
  root = join(temporaryFolder(), 'root');
  execFileSync('dpkg-deb', ['--raw-extract', path, root]);
  paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
});

const read = (path: string) => readFileSync(join(root, path), 'utf8');

it('has the release in /opt/plant-store but for the SQLite of other platforms, its own Node.js, and few files elsewhere', () => {
  const filesOf = (of: string) =>
    readdirSync(of, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !statSync(join(of, path)).isDirectory(),
    );
  const installed = filesOf(join(root, application));
  const own = ['bin/LICENSE', 'bin/node'];
  expect(installed.filter((path) => !own.includes(path)).toSorted()).toEqual(
    filesOf(folder)
      .filter((path) => !/prebuilds\/(?!linux-(x64|arm64)\.node$)/.test(path))
      .filter((path) => !path.includes('prebuilds/') || path.endsWith(`/linux-${process.arch}.node`))
      .toSorted(),
  );
  const elsewhere = paths.filter(
    (path) => !/^(opt|DEBIAN)\b/.test(path) && !lstatSync(join(root, path)).isDirectory(),
  );
  const units = globSync('*.{service,timer}', { cwd: join(folder, 'deploy') });
  expect(elsewhere).toEqual(
    [
      'etc/plant-store/environment',
      'usr/bin/plant-store',
      ...units.map((unit) => `usr/lib/systemd/system/${unit}`),
      'usr/lib/sysusers.d/plant-store.conf',
      'usr/share/bash-completion/completions/plant-store',
      'usr/share/doc/plant-store/changelog.gz',
      'usr/share/doc/plant-store/copyright',
      'usr/share/doc/plant-store/docs',
      'usr/share/fish/vendor_completions.d/plant-store.fish',
      'usr/share/lintian/overrides/plant-store',
      'usr/share/man/man1/plant-store.1.gz',
      'usr/share/zsh/vendor-completions/_plant-store',
    ].toSorted(),
  );
  expect(JSON.parse(read(join(application, 'sbom.cdx.json'))).components).toContainEqual(
    expect.objectContaining({ name: 'node', version: process.versions.node }),
  );
});

it('runs that Node.js in every unit and command, and enables each unit that has an [Install]', () => {
  const programs = globSync('{usr/lib/systemd/system/*,opt/plant-store/deploy/*.sh}', { cwd: root });
  for (const path of programs)
    expect([path, read(path)]).not.toEqual([path, expect.stringContaining('/usr/bin/node')]);
  expect(read('usr/lib/systemd/system/plant-store.service')).toMatch(
    /^ExecStart=\/opt\/plant-store\/bin\/node \/opt\/plant-store\/dist\/main\.js serve$/m,
  );
  const enabled = programs.filter((path) => /^\[Install\]$/m.test(read(path)));
  expect(enabled.length).toBeGreaterThan(0);
  const names = enabled.map((path) => path.replace(/^.*\//, '')).toSorted();
  expect(read('DEBIAN/postinst')).toContain(`for unit in ${names.join(' ')}; do`);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    expect(read(`DEBIAN/${script}`)).toContain(names.join(' '));
    expect(read(`DEBIAN/${script}`)).not.toMatch(/@[A-Z]+@/);
  }
});

it('has a manual page with each command and option', () => {
  const page = gunzipSync(readFileSync(join(root, 'usr/share/man/man1/plant-store.1.gz'))).toString();
  const text = page.replaceAll('\\-', '-');
  const commands = readPage('docs/operate/cli.md').match(/(?<=^\| `plant-store )[a-z-]+( [a-z]+)?/gm) ?? [];
  expect(commands.length).toBeGreaterThan(15);
  for (const command of commands) expect(text).toContain(`\n.SS "plant-store ${command} `);
  for (const option of ['--overlap <duration>', '--json', '--from-line <number>', '--no-tag'])
    expect(text).toContain(`\n  ${option} `);
  expect(text).toContain('Exit status: 0 for success, 1 for failure,');
  // It is not for users.
  expect(text).not.toContain('"plant-store worker');
  const pages = text.match(/\/\S+\.md/g) ?? [];
  expect(pages.length).toBeGreaterThanOrEqual(2);
  for (const path of pages) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
});

it('names its maintainer, its page and its changes', () => {
  const control = read('DEBIAN/control');
  expect(control).toMatch(/^Homepage: https:\/\/\S+$/m);
  expect(control).toMatch(/^Maintainer: Plant Store maintainers <\S+@\S+>$/m);
  const changes = gunzipSync(readFileSync(join(root, 'usr/share/doc/plant-store/changelog.gz'))).toString();
  expect(changes).toMatch(
    /^plant-store \(\d+\.\d+\.\d+\) stable; urgency=medium\n\n( {2}\* .+\n)+\n -- .+> {2}Fri, 02 Jan 2026 /,
  );
  expect(existsSync(join(root, readlinkSync(join(root, 'usr/share/doc/plant-store/docs'))))).toBe(true);
});

it('completes commands in shells', () => {
  for (const path of [
    'bash-completion/completions/plant-store',
    'fish/vendor_completions.d/plant-store.fish',
  ])
    expect(read(`usr/share/${path}`)).toContain('plant-store complete --');
  expect(read('usr/share/zsh/vendor-completions/_plant-store')).toMatch(/^#compdef plant-store\n/);
});

it('depends on the libraries that its programs load, in the versions whose symbols they need', () => {
  const [, depends = ''] = /^Depends: (.+)$/m.exec(read('DEBIAN/control')) ?? [];
  const programs = ['bin/node', `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`].map(
    (path) => join(root, application, path),
  );
  const loaded = programs.flatMap((path) =>
    [...execFileSync('ldd', [path], { encoding: 'utf8' }).matchAll(/^\s+(\S+) => \//gm)].map(
      ([, name = '']) => name,
    ),
  );
  const names = loaded.map((name) => packageOf[name] ?? name);
  const versions = programs.flatMap((path) =>
    [...readFileSync(path, 'latin1').matchAll(/\0GLIBC_2\.(\d+)(?=\0)/g)].map(([, minor]) => Number(minor)),
  );
  expect(new Set(names)).toEqual(new Set(depends.match(/\blib[\w+-]+/g)));
  expect(depends).toContain(`libc6 (>= 2.${Math.max(...versions)})`);
});

it('has settings that the service takes, each as a comment', () => {
  const lines = read('etc/plant-store/environment').split('\n').filter(Boolean);
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([]);
  const settings = lines.flatMap((line) => (/^#[A-Z_]+=/.test(line) ? [line.slice(1).split('=', 2)] : []));
  expect(settings.length).toBeGreaterThan(3);
  expect(environmentVariables).toEqual(expect.arrayContaining(settings.map(([name]) => name)));
  expect(() => parseConfig(Object.fromEntries(settings), '/')).not.toThrow();
});

it('is as large as the page on deployment says, to a megabyte', () => {
  const [, ...said] = /\((\d+) MB, (\d+) MB installed/.exec(readPage('docs/operate/deploy.md')) ?? [];
  const [, installed] = /^Installed-Size: (\d+)$/m.exec(read('DEBIAN/control')) ?? [];
  const megabytes = [statSync(path).size / 1e6, (Number(installed) * 1_024) / 1e6];
  const differences = megabytes.map((size, index) => Math.abs(size - Number(said[index])));
  expect([megabytes, differences.every((difference) => difference < 1)]).toEqual([megabytes, true]);
});
