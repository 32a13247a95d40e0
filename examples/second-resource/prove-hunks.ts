// Takes back one part of what people write for gardens at a time, in a checkout that has it, and fails unless a compiler or a test
// notices: each hunk of the patch, and each file but the tests.
//   pnpm exec node examples/second-resource/prove-hunks.ts <checkout>
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const checkout = resolve(process.argv[2] ?? '.');
const contract = join(checkout, 'packages/contract');
const api = join(checkout, 'apps/api');

/** What notices, those that take least time first. */
const checks: readonly (readonly [folder: string, command: string, ...args: string[]])[] = [
  [contract, 'tsc'],
  [contract, 'vitest', 'run', '--bail=1', 'src', 'test/types.test.ts'],
  [api, 'tsc'],
  [api, 'vitest', 'run', '--bail=1', '--project=sqlite', '--project=postgresql', 'test/http/gardens'],
];

/** A part, and how to take it back and put it there again. */
interface Part {
  readonly name: string;
  readonly remove: () => void;
  readonly restore: () => void;
}

const files = globSync('**/*', { cwd: join(import.meta.dirname, 'files'), withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
  .map((entry): Part => {
    const path = join(entry.parentPath, entry.name).slice(join(import.meta.dirname, 'files').length + 1);
    const [there, away] = [join(checkout, path), join(checkout, `${path}.away`)];
    return { name: path, remove: () => renameSync(there, away), restore: () => renameSync(away, there) };
  });

const hunks = readFileSync(join(import.meta.dirname, 'gardens.patch'), 'utf8')
  .split(/^(?=diff --git )/m)
  .flatMap((ofFile) => {
    const [head = '', ...parts] = ofFile.split(/^(?=@@ )/m);
    return parts.map((hunk): Part => {
      const name = `${/ b\/(.*)/.exec(head)?.[1]}: ${hunk.split('\n', 1)}`;
      const apply = (...options: readonly string[]) =>
        run(checkout, 'git', ['apply', ...options], head + hunk);
      return { name, remove: () => expectDone(apply('--reverse')), restore: () => expectDone(apply()) };
    });
  });

const findFailing = () => checks.find(([folder, command, ...args]) => run(folder, command, args) !== 0);

const failing = findFailing();
if (failing !== undefined) throw new Error(`With everything in place, this fails: ${failing.join(' ')}`);
let missed = 0;
for (const { name, remove, restore } of [...files, ...hunks]) {
  remove();
  const noticed = findFailing();
  restore();
  if (noticed === undefined) missed++;
  console.log(`${name}\n  ${noticed === undefined ? 'NOBODY NOTICED' : noticed.slice(1).join(' ')}`);
}
process.exitCode = missed === 0 ? 0 : 1;

function run(cwd: string, command: string, args: readonly string[], input = ''): number | null {
  const path = `${join(checkout, 'node_modules/.bin')}:${process.env['PATH']}`;
  return spawnSync(command, args, { cwd, input, env: { ...process.env, PATH: path } }).status;
}

function expectDone(status: number | null): void {
  if (status !== 0) throw new Error('A hunk does not fit, before or after');
}
