import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatCount, type Table } from './documented-table.js';
import { createProject, install, type Packed, run, withService } from './support.js';

/** The bundlers that most pages and frameworks use, each with its output folder and its command. */
const bundlers: readonly (readonly [title: string, out: string, command: string])[] = [
  ['Vite 8.3.8 (Rolldown)', 'out/vite', 'vite build'],
  ['webpack 5.112.2', 'out/webpack', 'webpack --mode=production --entry=./main.js --output-path=out/webpack'],
];

/** Bundles a program that uses the packed client with each bundler, and runs the bundles against the service. */
export function tryBundlers({ folder, client }: Packed): Promise<Table> {
  const project = createProject(folder, 'bundlers', 'compatibility/bundled');
  install(project, client, 'vite@8.3.8', 'webpack@5.112.2', 'webpack-cli@7.3.1');
  return withService(project, (service) => {
    const rows = bundlers.map(([title, out, command]) => {
      const [program, ...options] = command.split(' ');
      run(project, `node_modules/.bin/${program}`, ...options);
      const [file = '', ...others] = readdirSync(join(project, out)).filter((name) => name.endsWith('.js'));
      if (others.length > 0) throw new Error(`${title} wrote more than one file: ${[file, ...others]}`);
      const runBundle = `
        globalThis.service = ${JSON.stringify(service)};
        await import('./${out}/${file}');
        console.log((await globalThis.called).status);`;
      const status = run(project, process.execPath, '--input-type=module', '-e', runBundle).trim();
      if (status !== '200') throw new Error(`${title}: ${status}`);
      const code = readFileSync(join(project, out, file));
      return [title, formatCount(code.length), formatCount(gzipSync(code).length)];
    });
    return { head: ['bundler', 'minified, bytes', 'and gzipped'], rows };
  });
}
