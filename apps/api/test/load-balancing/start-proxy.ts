import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@plant-store/postgresql-server';
import { onTestFinished } from 'vitest';
import { root } from '../support/read-markdown.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Where Debian's packages have them. */
export const programs = { haproxy: '/usr/sbin/haproxy', nginx: '/usr/sbin/nginx' } as const;
/** A proxy that `deploy/load-balancing` has a configuration for. */
export type ProxyName = keyof typeof programs;

/** Throws if one of the programs is missing. */
export function requireProxies(): void {
  for (const program of Object.values(programs)) {
    if (existsSync(program)) continue;
    throw new Error(
      `There is no ${program}. Install it with "apt-get update && apt-get install -y --no-install-recommends haproxy nginx-light".`,
    );
  }
}

/** The ports of two instances, each with its admin port, and of the proxy, as they are in the configurations. */
export interface Ports {
  readonly instances: readonly [Instance, Instance];
  readonly proxy: number;
}

export interface Instance {
  readonly port: number;
  readonly adminPort: number;
}

/** Finds free ports for all. */
export async function findPorts(): Promise<Ports> {
  const find = async () => ({ port: await findFreePort(), adminPort: await findFreePort() });
  return { instances: [await find(), await find()], proxy: await findFreePort() };
}

/** Reads the configuration of a proxy from `deploy/load-balancing`, with these ports in place of its own. */
function readConfiguration(file: string, { instances: [a, b], proxy }: Ports): string {
  const ports = { 3000: a.port, 3001: a.adminPort, 3002: b.port, 3003: b.adminPort, 8080: proxy };
  return readFileSync(join(root, 'deploy/load-balancing', file), 'utf8').replaceAll(
    /\b(3000|3001|3002|3003|8080)\b/g,
    (port) => String(ports[Number(port) as keyof typeof ports]),
  );
}

/** Starts a proxy in front of the instances until the end of the test. */
export function startProxy(proxy: ProxyName, ports: Ports): ChildProcess {
  const folder = temporaryFolder();
  const file = join(folder, 'proxy.conf');
  const args = { haproxy: ['-W', '-db', '-f', file], nginx: ['-e', 'stderr', '-p', folder, '-c', file] };
  if (proxy === 'haproxy') {
    writeFileSync(file, readConfiguration('haproxy.cfg', ports));
  } else {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `access_log off; ${paths.join(' ')}\n${readConfiguration('nginx.conf', ports)}`;
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    writeFileSync(file, `daemon off; pid ${folder}/pid; ${user}\nevents {}\nhttp {\n${http}}\n`);
  }
  execFileSync(programs[proxy], [...(proxy === 'haproxy' ? ['-c'] : ['-t']), ...args[proxy]], {
    stdio: 'pipe',
  });
  const child = spawn(programs[proxy], args[proxy], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}
