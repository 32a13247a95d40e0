import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.js';

/** Where Node.js is in a root, as in the official images. */
export const nodePath = '/usr/local/bin/node';

/**
 * Creates the root of a minimal Linux, with the libraries that Node.js needs and nothing else: neither a shell nor the
 * repository. Node.js itself and the devices are added by `startInRoot`. It is removed as a `temporaryFolder` is.
 *
 * @throws {Error} where `startInRoot` would fail: other systems than Linux, other users than root, or no right to mount
 */
export function createRoot(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error('These tests need Linux and the user root, to give a process a root folder of its own.');
  }
  requireMounts();
  const root = temporaryFolder();
  execFileSync('chmod', ['755', root]);
  for (const folder of ['proc', 'dev', 'etc', 'tmp', dirname(nodePath)])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['dev/null', 'dev/urandom', nodePath]) writeFileSync(join(root, file), '');
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:\nnode:x:1000:1000::/:\nnobody:x:65534:65534::/:\n');
  const libraries = execFileSync('ldd', [realpathSync(process.execPath)], { encoding: 'utf8' });
  for (const [, path = ''] of libraries.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm))
    cpSync(realpathSync(path), join(root, path));
  return root;
}

/** A container, for one, does not have this right unless it is privileged. */
function requireMounts(): void {
  const attempt = ['--mount', '--pid', '--fork', '--mount-proc', '/bin/true'];
  const { status, stderr, error } = spawnSync('/usr/bin/unshare', attempt, { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`These tests need the right to mount (CAP_SYS_ADMIN): ${error?.message ?? stderr.trim()}`);
}
