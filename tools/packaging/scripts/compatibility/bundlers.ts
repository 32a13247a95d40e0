import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatCount } from '@plant-store/report';
import type { Table } from '../support/documented-table.js';
import { createProject, installTools } from '../support/install.js';
import { run } from '../support/run.js';
import type { RunningService } from '../support/start-service.js';

const packages = [
  'esbuild@0.28.2',
  'vite@8.3.8',
  'rollup@4.68.7',
  '@rollup/plugin-node-resolve@16.0.3',
  '@rollup/plugin-terser@1.0.2',
  'webpack@5.112.2',
  '@rspack/core@2.3.2',
  'parcel@2.16.4',
  'bun@1.4.5',
];

/** Each bundler, the folder of its output, and the command that writes a minified bundle for browsers there. */
const bundlers: readonly (readonly [bundler: string, out: string, command: readonly string[]])[] = [
  [
    'esbuild 0.28.2',
    'esbuild',
    ['esbuild', 'main.js', '--bundle', '--minify', '--format=esm', '--outdir=out/esbuild'],
  ],
  ['Vite 8.3.8 (Rolldown)', 'vite', ['node', 'bundlers/vite.js']],
  ['Rollup 4.68.7 with terser', 'rollup', ['node', 'bundlers/rollup.js']],
  ['webpack 5.112.2', 'webpack', ['node', 'bundlers/webpack.js', 'webpack']],
  ['Rspack 2.3.2', 'rspack', ['node', 'bundlers/webpack.js', '@rspack/core']],
  [
    'Parcel 2.16.4',
    'parcel',
    ['parcel', 'build', 'main.js', '--no-source-maps', '--no-cache', '--dist-dir', 'out/parcel'],
  ],
  ['Bun 1.4.5', 'bun', ['bun', 'build', 'main.js', '--minify', '--target=browser', '--outdir=out/bun']],
];

/** Bundles one program that uses the packed client with each bundler, and runs each bundle against the service. */
export function tryBundlers(folder: string, client: string, { baseUrl, token }: RunningService): Table {
  const project = createProject(folder, 'bundlers-project');
  cpSync(resolve(import.meta.dirname, '../../compatibility'), project, { recursive: true });
  installTools(project, '--allow-build=bun', '--allow-build=@parcel/watcher', client, ...packages);
  const rows = bundlers.map(([bundler, out, [command = '', ...options]]) => {
    const path = command === 'node' ? process.execPath : join(project, 'node_modules/.bin', command);
    run(project, path, ...options);
    const [file = '', ...others] = readdirSync(join(project, 'out', out)).filter((name) =>
      name.endsWith('.js'),
    );
    if (others.length > 0) throw new Error(`${bundler} wrote more than one file: ${[file, ...others]}`);
    const bundle = join(project, 'out', out, file);
    const result = run(
      project,
      process.execPath,
      'run-bundle.js',
      bundle,
      JSON.stringify({ baseUrl, token }),
    );
    if (result.trim() !== '{"status":200,"refused":"not_sent"}') throw new Error(`${bundler}: ${result}`);
    const code = readFileSync(bundle);
    console.log(`compatibility: ${bundler}: its bundle of ${code.length} bytes runs`);
    return [bundler, ...[code.length, gzipSync(code).length].map(formatCount)];
  });
  return { head: ['bundler', 'minified, bytes', 'and gzipped'], rows };
}
