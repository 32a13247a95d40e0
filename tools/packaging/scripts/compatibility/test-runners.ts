import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';

const ownVitest: { readonly version: string } = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('vitest/package.json'), 'utf8'),
);

const packages = [
  `vitest@${ownVitest.version}`,
  'jsdom@31.0.1',
  'happy-dom@21.0.4',
  'jest@30.5.2',
  'jest-environment-jsdom@30.5.2',
  'jest-fixed-jsdom@0.0.11',
  'mocha@12.0.3',
  'bun@1.4.5',
];

/** Each runner and environment, and the command that runs the test in it. */
const runners: readonly (readonly [runner: string, environment: string, command: readonly string[]])[] = [
  [`Vitest ${ownVitest.version}`, '`node`', ['vitest', 'run', '--globals']],
  ['', '`jsdom` 31.0.1', ['vitest', 'run', '--globals', '--environment', 'jsdom']],
  ['', '`happy-dom` 21.0.4', ['vitest', 'run', '--globals', '--environment', 'happy-dom']],
  ['Jest 30.5.2', '`node`', ['jest', '--env', 'node', 'client.test.js']],
  ['', '`jsdom` 30.5.2', ['jest', '--env', 'jsdom', 'client.test.js']],
  ['', '`jest-fixed-jsdom` 0.0.11', ['jest', '--env', 'jest-fixed-jsdom', 'client.test.js']],
  ['Mocha 12.0.3', 'Node.js', ['mocha', 'client.test.js']],
  ['`node:test`', 'Node.js', ['node', '--test', 'client.node-test.js']],
  ['`bun test` 1.4.5', 'Bun', ['bun', 'test', './client.test.js']],
];

/** Runs a test that uses the packed client and the fake plant store, in each test runner. */
export function tryTestRunners(folder: string, client: string): Table {
  const project = createProject(folder, 'test-runners-project');
  cpSync(resolve(import.meta.dirname, '../../compatibility/test-runners'), project, { recursive: true });
  installTools(project, '--allow-build=bun', client, ...packages);
  const rows = runners.map(([runner, environment, [command = '', ...options]]) => {
    const path = command === 'node' ? process.execPath : join(project, 'node_modules/.bin', command);
    const { status, stdout, stderr } = spawnSync(path, options, {
      cwd: project,
      encoding: 'utf8',
      // Jest needs this flag for ES modules.
      env: { ...process.env, ...(command === 'jest' && { NODE_OPTIONS: '--experimental-vm-modules' }) },
    });
    const error = /^.*(\w*Error: .*)$/m.exec(`${stdout}${stderr}`)?.[0].trim();
    const result = status === 0 ? 'runs' : `\`${error ?? `status ${status}`}\``;
    if (status !== 0) console.error(`${stdout}${stderr}`);
    console.log(`compatibility: ${runner} ${environment}: ${result}`);
    return [runner, environment, result];
  });
  return { head: ['test runner', 'environment', 'the client with the fake plant store'], rows };
}
