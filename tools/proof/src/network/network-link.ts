import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasEnded } from '../service/start-process.js';
import {
  findMissingProgram,
  runSystemProgram,
  succeeds,
  systemEnvironment,
} from '../service/system-programs.js';
import type { Impairment } from './impair-packet.js';

const ip = (...args: readonly string[]) => runSystemProgram('ip', ...args);

/** A network namespace with a PostgreSQL, joined with that of this process by a link of its own. */
export interface DatabaseNetwork {
  /** The URL of the server, without a database. */
  readonly serverUrl: string;
  /** Sets what the link does to packets from now on. */
  impair(impairment: Impairment): void;
}

/** What is missing on this machine to create a network; `undefined` if it can be done. */
export async function findObstacle(): Promise<string | undefined> {
  const missing = await findMissingProgram(['ip', 'nsenter', 'perl']);
  if (missing !== undefined) return missing;
  if (!existsSync('/dev/net/tun')) return 'It needs TUN devices: /dev/net/tun.';
  const name = namespaceName();
  if (!(await succeeds(ip('netns', 'add', name)))) return 'It needs the right to create network namespaces.';
  await ip('netns', 'delete', name);
  return undefined;
}

/** Addresses for benchmarks of networks (RFC 2544, appendix C.2.2), which no other network uses. */
const serviceAddress = '198.18.77.1';
const databaseAddress = '198.18.77.2';

/**
 * Opens two TUN devices (TUNSETIFF with IFF_TUN and IFF_NO_PI, see Documentation/networking/tuntap.rst of Linux) and runs the
 * relay with them: Node.js has no ioctl.
 */
const openTunDevices = `
  $^F = 255;
  my ($service, $database, $seed, @relay) = @ARGV;
  sub tun { open(my $f, "+<", "/dev/net/tun") or die $!; my $r = pack("a16sx22", $_[0], 0x1001); ioctl($f, 0x400454ca, $r) or die $!; $f }
  my ($s, $d) = (tun($service), tun($database));
  exec @relay, $seed, fileno($s), fileno($d) or die $!`;

const programOf = (name: string) => fileURLToPath(new URL(`../../dist/network/${name}.js`, import.meta.url));
const namespaceName = () => `plant-store-proof-${process.pid}`;

/** Runs a trial with a PostgreSQL behind a link, and removes all of it afterwards, however the trial ends. */
export async function withNetwork<T>(
  folder: string,
  seed: number,
  trial: (network: DatabaseNetwork) => Promise<T>,
): Promise<T> {
  const namespace = namespaceName();
  const children: ChildProcess[] = [];
  const removeNow = () => {
    for (const child of children) child.kill();
    spawnSync('ip', ['netns', 'delete', namespace], { env: systemEnvironment });
  };
  process.on('exit', removeNow);
  try {
    await ip('netns', 'add', namespace);
    const relay = await startRelay(namespace, seed, children);
    const server = await startServer(namespace, join(folder, 'postgresql'), children);
    return await trial({
      serverUrl: server.url,
      impair: (impairment) => void relay.send(impairment),
    });
  } finally {
    process.off('exit', removeNow);
    await Promise.all(children.map(endChild));
    removeNow();
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

async function startRelay(namespace: string, seed: number, children: ChildProcess[]): Promise<ChildProcess> {
  const [service, database] = [`pss${process.pid}`, `psd${process.pid}`];
  const relayCommand = [process.execPath, programOf('relay')];
  const relay = spawn('perl', ['-e', openTunDevices, service, database, String(seed), ...relayCommand], {
    env: systemEnvironment,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(relay);
  await messageOf(relay);
  await ip('link', 'set', database, 'netns', namespace);
  await ip('address', 'add', `${serviceAddress}/30`, 'dev', service);
  await ip('link', 'set', service, 'up');
  await ip('-netns', namespace, 'link', 'set', 'lo', 'up');
  await ip('-netns', namespace, 'address', 'add', `${databaseAddress}/30`, 'dev', database);
  await ip('-netns', namespace, 'link', 'set', database, 'up');
  return relay;
}

async function startServer(namespace: string, folder: string, children: ChildProcess[]) {
  const command = [process.execPath, programOf('postgresql-server'), folder, databaseAddress];
  // Unlike `ip netns exec` this makes no copy of the mounts, which would keep file systems of others mounted.
  const child = spawn('nsenter', [`--net=/run/netns/${namespace}`, ...command], {
    env: { ...systemEnvironment, HOME: '/tmp' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(child);
  const { url } = (await messageOf(child)) as { url: string };
  return { url };
}

/** The first message of a child process. */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  const [message] = await once(child, 'message', { signal: ended.signal });
  return message;
}
