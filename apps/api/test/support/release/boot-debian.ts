import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childrenOf } from '../process/processes.js';
import { temporaryFolder } from '../temporary-folder.js';
import { until } from '../until.js';

/** What a server of Debian has besides the essential packages, and what the package of the service depends on. */
const packages = ['systemd-sysv', 'dbus', 'libatomic1', 'libstdc++6', 'curl'];

/** A Debian that runs. */
export interface Debian {
  /** Its root folder. */
  readonly root: string;
  /** Runs a shell script in it as root. */
  readonly run: (script: string) => { readonly exitCode: number | null; readonly output: string };
  readonly powerOff: () => Promise<void>;
}

/**
 * Creates a Debian from the packages of a mirror, and boots it in namespaces of its own, with a network that ends within it.
 *
 * @throws {Error} where Debian's mmdebstrap or systemd-container is not installed, or no mirror is reached
 */
export async function bootDebian(suite: string): Promise<Debian> {
  const root = join(temporaryFolder(), 'debian');
  const options = ['--variant=apt', `--include=${packages.join(',')}`, '--quiet'];
  execFileSync('mmdebstrap', [...options, suite, root, 'http://deb.debian.org/debian'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const boot = `exec systemd-nspawn --directory=${root} --boot --register=no --keep-unit --private-network`;
  // Its console has to be a terminal, which `script` provides. The systemd of Debian 13 rejects the first version of cgroups.
  const terminal = spawn('/usr/bin/script', ['--quiet', '--command', boot, '/dev/null'], {
    env: { ...process.env, UNIFIED_CGROUP_HIERARCHY: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(terminal, 'close');
  const isUp = (pid: number) => /running|degraded/.test(run(pid, 'systemctl is-system-running').output);
  const first = await until(() => {
    if (terminal.exitCode !== null) throw new Error('systemd-nspawn has ended.');
    const [container] = childrenOf(terminal.pid);
    return container !== undefined && childrenOf(container).find(isUp);
  }, 200);
  return {
    root,
    run: (script) => run(first, script),
    async powerOff() {
      run(first, 'systemctl poweroff');
      await ended;
    },
  };
}

/** Runs a script where a process runs. */
function run(pid: number, script: string) {
  const environment = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
  const shell = ['/usr/bin/env', '-i', ...environment, '/bin/sh', '-c', `exec 2>&1; ${script}`];
  const { status, stdout } = spawnSync('/usr/bin/nsenter', [`--target=${pid}`, '--all', '--', ...shell], {
    encoding: 'utf8',
  });
  return { exitCode: status, output: stdout };
}
