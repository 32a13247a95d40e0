import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/** Makes a project of its own, outside the workspace, and gives its folder. */
export function createProject(parent: string, name: string): string {
  const project = join(parent, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  return project;
}

/** Installs packages with npm: names with their versions, or paths of tarballs. */
export function installWithNpm(project: string, ...packages: readonly string[]): void {
  run(project, 'npm', 'install', '--no-audit', '--no-fund', ...packages);
}

/** Installs large tools as npm would lay them out, but with pnpm, which takes a third of the time. */
export function installTools(project: string, ...packages: readonly string[]): void {
  run(project, 'pnpm', 'add', '--config.node-linker=hoisted', ...packages);
}
