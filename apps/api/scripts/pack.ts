import { execFileSync } from 'node:child_process';

/**
 * Packs a package for publishing.
 *
 * @param folder the folder of the package
 * @param tarball the path of the file to write; `%s` stands for the package name, and `%v` for its version
 * @throws {Error} when pnpm cannot pack it
 */
export function pack(folder: string, tarball: string): void {
  // Otherwise pnpm rejects a package that bundles its dependencies.
  const options = ['--config.node-linker=hoisted', '--out', tarball];
  execFileSync('pnpm', ['pack', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
