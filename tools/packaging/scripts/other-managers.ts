// Runs npm and Yarn on the files that they read of the workspace's root, and checks that they print the right command.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pinnedPnpm } from './support/pinned-pnpm.js';

const root = resolve(import.meta.dirname, '../../..');
const advice = `npx -y ${pinnedPnpm} install`;

const mistakes = [
  ['npx', '-y', 'npm@10.8.2', 'install'],
  ['npm', 'install'],
  ['npx', '-y', 'yarn@1.22.22'],
  ['npx', '-y', '-p', '@yarnpkg/cli-dist@4.18.1', 'yarn'],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-root-'));
try {
  for (const file of ['package.json', '.yarnrc.yml', '.yarn']) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  for (const [command, ...options] of mistakes) {
    const { status, stderr } = spawnSync(command, options, { cwd: folder, encoding: 'utf8' });
    const line = [command, ...options].join(' ');
    if (status === 0 || !stderr.includes(advice))
      throw new Error(`${line} does not print ${advice}:\n${stderr}`);
    console.log(`other managers: ${line}: failed with status ${status} and printed ${advice}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
