import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createDatabase, findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, expect, inject, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import type {} from '../support/postgresql/global-setup.js';
import { createRoot, nodePath } from '../support/release/create-root.js';
import type {} from '../support/release/global-setup.js';
import { type Confinement, runInRoot, startInRoot } from '../support/release/start-in-root.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const nobody = { uid: 65_534, gid: 65_534 };
const main = '/opt/plant-store/dist/main.js';

let root: string;
let data: string;
/** The name of the release, which `/opt/plant-store` leads to. */
let release: string;

/** Lets `/opt/plant-store` lead to a folder beside it, as an upgrade does. */
function linkTo(name: string): void {
  rmSync(join(root, 'opt/plant-store'), { force: true });
  symlinkSync(name, join(root, 'opt/plant-store'));
}

beforeAll(() => {
  root = createRoot();
  release = basename(inject('release').folder);
  const folder = join(root, 'opt', release);
  cpSync(inject('release').folder, folder, { recursive: true });
  linkTo(release);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isFile() ? 0o444 : 0o555);
  mkdirSync(join(root, 'data'));
  data = temporaryFolder();
  chownSync(data, nobody.uid, nobody.gid);
});

function confine(environment: Readonly<Record<string, string>>): Confinement {
  return { root, volumes: { '/data': data }, workingFolder: '/data', user: nobody, environment };
}

/** Runs a command of the release, which must succeed, and returns its output. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  const { exitCode, stdout, stderr } = await runInRoot(confine(environment), [nodePath, main, ...args]);
  expect({ args, exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

// The image has it on SQLite with a single process.
it.each(['sqlite 2', 'postgresql 1'].map((names) => names.split(' ')))(
  'runs read-only as a user without rights and without the repository, on %s with WORKERS=%s',
  async (engine = '', WORKERS = '') => {
    const filesOf = (name: string) => `/data/${name}-${engine}-${WORKERS}`;
    const createUrl = async (name: string) =>
      engine === 'sqlite' ? `file:${filesOf(name)}.db` : createDatabase(inject('postgresqlUrl'));
    const [PORT, ADMIN_PORT] = [String(await findFreePort()), String(await findFreePort())];
    const environment = { DATABASE_URL: await createUrl('plants'), PORT, ADMIN_PORT, WORKERS };
    expect(await run(['migrate'], environment)).toContain('create_plants_and_access_tokens');
    const token = (await run(['token', 'create', '--name', 'test'], environment)).trim();
    expect(await run(['token', 'list'], environment)).toContain('\ttest\t');

    const service = startInRoot(confine({ ...environment, DRAIN_DELAY_MS: '0' }), [nodePath, main, 'serve']);
    await service.waitFor(/"msg":"listening"/);
    await until(async () => (await run(['ready'], environment)) === 'ready\n');
    const baseUrl = `http://127.0.0.1:${PORT}`;
    const create = () => postPlant({ baseUrl, token }, '{"id":9223372036854775807,"name":"Monstera"}');
    await create().expect(200);
    await create().expect(200).expect('Idempotent-Replayed', 'true');
    // The service reads these when they are first asked for: from its own version, whatever the link leads to by then.
    linkTo('another-version');
    const viewer = await (await fetch(`${baseUrl}/docs`)).text();
    const files = viewer.match(/docs\/assets\/[\w.-]+/g);
    expect(files).toHaveLength(4);
    for (const path of ['openapi.json', ...(files ?? [])])
      expect([path, (await fetch(`${baseUrl}/${path}`)).status]).toEqual([path, 200]);
    linkTo(release);
    const metrics = await (await fetch(`http://127.0.0.1:${ADMIN_PORT}/metrics`)).text();
    expect(metrics).toContain(`commit="${inject('release').commit}"`);

    if (engine === 'sqlite') await run(['backup', `${filesOf('backup')}.db`], environment);
    await run(['export', '--output', `${filesOf('plants')}.ndjson`], environment);
    expect(await service.end('SIGTERM')).toMatchObject({ exitCode: 0 });

    const other = { DATABASE_URL: await createUrl('other') };
    await run(['import', `${filesOf('plants')}.ndjson`], other);
    const exported = /^\{"id":9223372036854775807,"name":"Monstera","addedAt":"[^"]+"\}\n$/;
    expect(await run(['export'], other)).toMatch(exported);
    if (engine === 'sqlite') {
      const backup = { DATABASE_URL: `file:${filesOf('backup')}.db` };
      expect(await run(['export'], backup)).toContain('Monstera');
    }
  },
);

it('cannot write to its own folder, and has nothing of the repository in reach', async () => {
  const attempt = `
    const fs = require('node:fs');
    const tryTo = (action) => { try { action(); return 'done'; } catch ({ code }) { return code; } };
    console.log(JSON.stringify([
      tryTo(() => fs.writeFileSync('/opt/plant-store/dist/new.js', '')),
      tryTo(() => fs.appendFileSync('${main}', '')),
      fs.readdirSync('/').toSorted(),
      process.getuid(),
    ]));`;
  const { exitCode, stdout, stderr } = await runInRoot(confine({}), [nodePath, '--eval', attempt]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual(['EROFS', 'EACCES', expect.any(Array), nobody.uid]);
  const [, , folders] = JSON.parse(stdout);
  const expected = ['data', 'dev', 'etc', 'lib', 'lib64', 'opt', 'proc', 'tmp', 'usr'];
  expect(expected).toEqual(expect.arrayContaining(folders));
});
