// Measures the work of the compiler for the types of one call, with the built packages.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatTable } from '@plant-store/report';
import { programs } from './support/program-names.js';
import { run } from './support/run.js';

const root = resolve(import.meta.dirname, '..');
const measured = ['plant-store', 'orpc-types-only', 'orpc', 'ts-rest-types-only', 'ts-rest'] as const;
const limit = 239;

const costs = measured.map((program) => ({ name: programs[program], ...measure(program) }));
console.log(
  formatTable(
    ['one call with', 'instantiations', 'types', 'memory, kB'],
    costs.map(({ name, instantiations, types, memoryKb }) => [name, instantiations, types, memoryKb]),
  ),
);
const [ours, ...others] = costs;
const instantiations = ours?.instantiations ?? Infinity;
const cheaper = others.filter((other) => other.instantiations <= instantiations);
const page = resolve(root, '../../packages/client/docs/size.md');
const row = `| \`@plant-store/client\` | ${instantiations} |`;
if (!readFileSync(page, 'utf8').includes(`\n${row}\n`))
  throw new Error(`${page} does not have this row: ${row}`);
if (instantiations > limit) throw new Error(`More than ${limit} instantiations: ${instantiations}`);
if (cheaper.length > 0) throw new Error(`Cheaper: ${cheaper.map(({ name }) => name).join(', ')}`);

function measure(program: string) {
  const folder = mkdtempSync(join(root, 'node_modules/.type-cost-'));
  try {
    const compilerOptions = {
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
      module: 'nodenext',
    };
    const files = [join(root, 'programs', `${program}.ts`)];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const report = run(root, 'tsc', '-p', folder, '--extendedDiagnostics', '--singleThreaded');
    const read = (figure: string) => Number(new RegExp(`^${figure}:\\s+(\\d+)`, 'm').exec(report)?.[1]);
    return {
      instantiations: read('Instantiations'),
      types: read('Types'),
      memoryKb: read('Memory used'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
