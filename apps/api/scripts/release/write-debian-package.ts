import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { finish, listFiles, root, write } from './folders.js';
import { renderManPage } from './man-page.js';

/** How to write the Debian package. */
export interface DebianPackageOptions {
  /** The folder of the release. The package is written beside it. */
  readonly folder: string;
  /** The time of all files; the current time by default. */
  readonly time: Date | undefined;
  /** By default the version of the release. */
  readonly version?: string;
  /** A name and an email address. */
  readonly maintainer?: string | undefined;
}

const templates = join(import.meta.dirname, 'debian');
const scripts = ['preinst', 'postinst', 'prerm', 'postrm'];
const programs =
  /^(DEBIAN\/(preinst|postinst|prerm|postrm)|opt\/plant-store\/(bin\/node|dist\/main\.js|deploy\/.+\.sh))$/;

/** Debian's names of the architectures that have a package of Node.js. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Writes `plant-store_<version>_<architecture>.deb` for the architecture of this machine: the release in /opt/plant-store with the
 * repository's Node.js, systemd units, a user, settings, a manual page, and shell completions. The same release and time give the same
 * bytes.
 *
 * @returns the path and size of the package, or what is missing to write it
 */
export function writeDebianPackage(options: DebianPackageOptions) {
  if (spawnSync('dpkg-deb', ['--version']).error) return { missing: 'dpkg-deb' };
  const node = findNode();
  if (node === undefined) return { missing: `the package of npm for ${nodePackage}` };
  const { folder, time, maintainer = 'Plant Store maintainers <maintainers@plant-store.invalid>' } = options;
  const release: { version: string; homepage: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const version = options.version ?? release.version;
  const architecture = architectures[process.arch] ?? '';
  // Debian sorts 1.5.0~rc.1 before 1.5.0.
  const debianVersion = version.replace('-', '~');
  const path = join(dirname(folder), `plant-store_${debianVersion}_${architecture}.deb`);
  const target = mkdtempSync(join(tmpdir(), 'plant-store-debian-'));
  try {
    const units = writeFiles(folder, target, node);
    const date = time ?? new Date();
    writeDocuments(folder, target, { version: debianVersion, maintainer, date });
    const files = listFiles(target);
    const sizes = files.map((file) => Math.ceil(lstatSync(join(target, file)).size / 1_024));
    const values = {
      VERSION: debianVersion,
      ARCHITECTURE: architecture,
      INSTALLED_SIZE: String(sizes.reduce((sum, size) => sum + size, 0)),
      UNITS: units.join(' '),
      MAINTAINER: maintainer,
      HOMEPAGE: release.homepage.replace('#readme', ''),
    };
    for (const name of ['control', ...scripts]) {
      const template = readFileSync(join(templates, name), 'utf8');
      write(join(target, 'DEBIAN', name), fillIn(template, values));
    }
    write(join(target, 'DEBIAN/conffiles'), '/etc/plant-store/environment\n');
    write(join(target, 'DEBIAN/md5sums'), files.map((file) => renderSum(target, file)).join(''));
    finish(target, programs, time);
    // The bytes depend on the number of threads.
    const compression = ['-Zzstd', '-z9', '--threads-max=1'];
    execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', target, path], {
      env: { ...process.env, ...(time && { SOURCE_DATE_EPOCH: String(time.getTime() / 1_000) }) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(target, { recursive: true });
  }
  return { path, bytes: statSync(path).size };
}

const nodePackage = `node-${process.platform}-${process.arch}`;

/** The folder of the pinned Node.js, an optional dependency of the root. */
function findNode(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return dirname(createRequire(`${root}/`).resolve(`${nodePackage}/package.json`));
  } catch {
    return undefined;
  }
}

/** Writes the files to install, and returns the units to enable. */
function writeFiles(folder: string, target: string, node: string): string[] {
  const application = join(target, 'opt/plant-store');
  cpSync(folder, application, { recursive: true });
  const sqlite = `prebuilds/linux-${process.arch}.node`;
  for (const path of globSync('node_modules/better-sqlite3/prebuilds/*', { cwd: application })) {
    if (!path.endsWith(sqlite)) rmSync(join(application, path));
  }
  copy(join(node, 'bin/node'), join(application, 'bin/node'));
  copy(join(node, 'LICENSE'), join(application, 'bin/LICENSE'));
  addNode(join(application, 'sbom.cdx.json'), node);
  const main = join(application, 'dist/main.js');
  writeFileSync(main, readFileSync(main, 'utf8').replace(/^#!.*/, '#!/opt/plant-store/bin/node'));

  const deploy = join(application, 'deploy');
  for (const path of globSync('*.{service,sh}', { cwd: deploy })) {
    const content = readFileSync(join(deploy, path), 'utf8');
    writeFileSync(join(deploy, path), content.replaceAll('/usr/bin/node', '/opt/plant-store/bin/node'));
  }
  const units = globSync('*.{service,timer}', { cwd: deploy }).toSorted();
  for (const unit of units) copy(join(deploy, unit), join(target, 'usr/lib/systemd/system', unit));
  mkdirSync(join(target, 'usr/bin'), { recursive: true });
  symlinkSync('/opt/plant-store/deploy/as-service.sh', join(target, 'usr/bin/plant-store'));

  copy(join(templates, 'environment'), join(target, 'etc/plant-store/environment'));
  copy(join(templates, 'sysusers.conf'), join(target, 'usr/lib/sysusers.d/plant-store.conf'));
  const [license, others] = [join(folder, 'LICENSE'), join(templates, 'copyright')].map((path) =>
    readFileSync(path, 'utf8'),
  );
  write(join(target, 'usr/share/doc/plant-store/copyright'), `${license}\n${others}`);
  return units.filter((unit) => /^\[Install\]$/m.test(readFileSync(join(deploy, unit), 'utf8')));
}

/** Writes the manual page, the changelog, and the shell completions. */
function writeDocuments(
  folder: string,
  target: string,
  {
    version,
    maintainer,
    date,
  }: { readonly version: string; readonly maintainer: string; readonly date: Date },
): void {
  const page = renderManPage({ version, date: date.toISOString().slice(0, 10), folder: '/opt/plant-store' });
  write(join(target, 'usr/share/man/man1/plant-store.1.gz'), gzipSync(page, { level: 9 }));
  const changes = `plant-store (${version}) stable; urgency=medium

  * /opt/plant-store/CHANGELOG.md has the changes.

 -- ${maintainer}  ${date.toUTCString().replace('GMT', '+0000')}
`;
  const documents = join(target, 'usr/share/doc/plant-store');
  write(join(documents, 'changelog.gz'), gzipSync(changes, { level: 9 }));
  symlinkSync('/opt/plant-store/docs', join(documents, 'docs'));
  copy(join(templates, 'lintian-overrides'), join(target, 'usr/share/lintian/overrides/plant-store'));
  for (const [shell, path] of Object.entries(completions)) {
    const command = [join(folder, 'dist/main.js'), 'completion', shell];
    write(join(target, 'usr/share', path), execFileSync(process.execPath, command));
  }
}

/** Where Debian's shells look for completions. */
const completions: Readonly<Record<string, string>> = {
  bash: 'bash-completion/completions/plant-store',
  zsh: 'zsh/vendor-completions/_plant-store',
  fish: 'fish/vendor_completions.d/plant-store.fish',
};

/** Adds Node.js to a bill of materials, with the names that vulnerability scanners use. */
function addNode(path: string, node: string): void {
  const { version }: { version: string } = JSON.parse(readFileSync(join(node, 'package.json'), 'utf8'));
  const bill: { components: object[] } = JSON.parse(readFileSync(path, 'utf8'));
  bill.components.push({
    type: 'application',
    name: 'node',
    version,
    'bom-ref': `node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:npm/${nodePackage}@${version}`,
  });
  writeFileSync(path, `${JSON.stringify(bill, undefined, 2)}\n`);
}

function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z_]+)@/g, (name, key: string) => values[key] ?? name);
}

function renderSum(target: string, file: string): string {
  if (lstatSync(join(target, file)).isSymbolicLink()) return '';
  const sum = createHash('md5')
    .update(readFileSync(join(target, file)))
    .digest('hex');
  return `${sum}  ${file}\n`;
}

function copy(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target);
}
