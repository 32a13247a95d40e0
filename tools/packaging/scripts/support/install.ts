import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/** Creates a project outside the workspace, and returns its folder. */
export function createProject(parent: string, name: string): string {
  const project = join(parent, name);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
  return project;
}

/** Installs packages with npm, given as `name@version` or as paths of tarballs. */
export function installWithNpm(project: string, ...packages: readonly string[]): void {
  run(project, 'npm', 'install', '--no-audit', '--no-fund', ...packages);
}

/** Installs large tools in npm's layout, but with pnpm, which takes a third of the time. */
export function installTools(project: string, ...packages: readonly string[]): void {
  run(project, 'pnpm', 'add', '--config.node-linker=hoisted', ...packages);
}

/** Installs packages so that each can import only its own dependencies and peer dependencies. */
export function installIsolated(project: string, ...packages: readonly string[]): void {
  run(project, 'pnpm', 'add', '--config.node-linker=isolated', '--config.hoist=false', ...packages);
}
