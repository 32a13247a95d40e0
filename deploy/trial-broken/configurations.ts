import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A PostgreSQL server under Patroni, with its ports on 127.0.0.1. */
export interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly dataFolder: string;
}

/** The superuser of every server, as in `patroni.yml`. */
export const superuser = { name: 'postgres', password: 'replace-this-password' };

/** Where Debian installs the programs of each version of PostgreSQL. */
export const postgresqlFolders = '/usr/lib/postgresql/*/bin';

/** The address of each node in the configurations. */
const addresses: Readonly<Record<string, string>> = { a: '10.0.0.1', b: '10.0.0.2', c: '10.0.0.3' };

/**
 * Reads `patroni.yml` with the name, ports and folders of a node in place of its own.
 *
 * @param isStrict whether commits wait while there is no standby
 */
export function readPatroniConfiguration(
  { name, port, restPort, dataFolder }: Node,
  { etcdPort, socketFolder, isStrict }: { etcdPort: number; socketFolder: string; isStrict: boolean },
): string {
  return replaceAll(read('patroni.yml'), {
    'name: a\n': `name: ${name}\n`,
    '10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379': `127.0.0.1:${etcdPort}`,
    '10.0.0.1:8008': `127.0.0.1:${restPort}`,
    '10.0.0.1:5432': `127.0.0.1:${port}`,
    '10.0.0.0/24': '127.0.0.1/32',
    '/usr/lib/postgresql/15/bin': globSync(postgresqlFolders).toSorted().at(-1) ?? '',
    '/var/lib/postgresql/15/plants': dataFolder,
    '/var/run/postgresql': socketFolder,
    'synchronous_mode_strict: false': `synchronous_mode_strict: ${isStrict}`,
  });
}

/** Reads `haproxy.cfg` with the ports of these nodes, and without the servers that are none of them. */
export function readHaproxyConfiguration(nodes: readonly Node[], port: number): string {
  const lines = read('haproxy.cfg').split('\n');
  const names = nodes.map(({ name }) => name);
  const used = lines.filter((line) => {
    const server = /^ +server (\w+) /.exec(line)?.[1];
    return server === undefined || names.includes(server);
  });
  const servers = nodes.map((node) => [
    `${addresses[node.name]}:5432 check port 8008`,
    `127.0.0.1:${node.port} check port ${node.restPort}`,
  ]);
  return replaceAll(used.join('\n'), {
    ...Object.fromEntries(servers),
    '127.0.0.1:5000': `127.0.0.1:${port}`,
  });
}

function read(file: string): string {
  return readFileSync(join(import.meta.dirname, '../high-availability-broken', file), 'utf8');
}

/** @throws {Error} if one of the texts to be replaced is missing, since the file was changed then */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`depl../high-availability-broken: there is no "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}
