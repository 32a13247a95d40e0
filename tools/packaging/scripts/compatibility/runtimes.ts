import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { run } from '../support/run.js';
import type { RunningService } from '../support/start-service.js';

const packages = ['bun@1.4.5', 'deno@2.9.6', 'miniflare@4.20260730.0', '@edge-runtime/vm@5.0.0'];

/** Each runtime and the command that runs the program in it; the service is added as the last argument. */
const runtimes: readonly (readonly [runtime: string, command: readonly string[]])[] = [
  ['Node.js 22', ['npx', '-y', '-p', 'node@22', 'node', 'run.js']],
  ['Node.js 24', ['npx', '-y', '-p', 'node@24', 'node', 'run.js']],
  ['Node.js 26', ['npx', '-y', '-p', 'node@26', 'node', 'run.js']],
  ['Bun 1.4.5', ['bun', 'run.js']],
  ['Deno 2.9.6', ['deno', 'run', '--no-prompt', '--allow-net=127.0.0.1', 'run.js']],
  ['workerd, by Miniflare 4.20260730.0', ['node', 'run-workerd.js', 'out/worker.js']],
  ['Edge Runtime, @edge-runtime/vm 5.0.0', ['node', 'run-edge-runtime.js', 'out/main.js']],
];

/** Calls the service with the packed client in each runtime. */
export function tryRuntimes(folder: string, client: string, { baseUrl, token }: RunningService): Table {
  const project = createProject(folder, 'runtimes-project');
  cpSync(resolve(import.meta.dirname, '../../compatibility'), project, { recursive: true });
  const builds = ['bun', 'deno', 'workerd'].map((name) => `--allow-build=${name}`);
  installTools(project, ...builds, client, ...packages);
  const options = { absWorkingDir: project, bundle: true, outdir: 'out' } as const;
  buildSync({ ...options, entryPoints: ['worker.js'], format: 'esm' });
  buildSync({ ...options, entryPoints: ['main.js'], format: 'iife' });

  const rows = runtimes.map(([runtime, [command = '', ...options]]) => {
    const installed = join(project, 'node_modules/.bin', command);
    const path = { node: process.execPath, npx: 'npx' }[command] ?? installed;
    const printed = run(project, path, ...options, JSON.stringify({ baseUrl, token }));
    const { status, refused }: { status: number; refused: string } = JSON.parse(printed);
    console.log(`compatibility: ${runtime}: ${status}, ${refused}`);
    return [runtime, `${status}`, `\`${refused}\``];
  });
  return { head: ['runtime', 'status of a call', '`outcome` of a connection that no one accepts'], rows };
}
