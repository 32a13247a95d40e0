import { execFileSync } from 'node:child_process';

/**
 * Packs a package as it would be published.
 *
 * @param folder the folder of the package
 * @param tarball the path of the file to write, where `%s` stands for the name of the package and `%v` for its version
 * @throws {Error} when pnpm cannot pack it
 */
export function pack(folder: string, tarball: string): void {
  // Otherwise pnpm rejects a package that carries its dependencies.
  const options = ['--config.node-linker=hoisted', '--out', tarball];
  execFileSync('pnpm', ['pack', ...options], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
