import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createDirectNodes } from './direct-nodes.js';
import { createShardMap, type NodeAddress } from './shard-map.js';

const toCoordinator = { adapterName: 'coordinator' } as SqlDriverAdapter;

/** A server, by the name of its host, and which server the service finds there: a name, nothing, or an error. */
type Servers = Record<string, string | undefined | Error>;

/** Direct nodes over a cluster whose coordinator reaches the server of a node's own name at each node. */
function useCluster(nodes: Record<number, string>, found: Servers = {}, timeoutMs = 60_000) {
  const cluster = { nodes, found, opened: [] as string[], closed: [] as string[], asked: [] as string[] };
  const addresses = () =>
    Object.entries(cluster.nodes).map(([group, host]) => [Number(group), host] as const);
  const direct = createDirectNodes({
    timeoutMs,
    coordinator: {
      async query(_: string, [host]: [string]) {
        cluster.asked.push(host);
        return { rows: [{ success: true, result: `server of ${host}` }] };
      },
    } as unknown as Pick<Pool, 'query'>,
    currentMap: () =>
      createShardMap(
        addresses().map(([node, host], index) => ({
          id: index,
          minHash: index,
          maxHash: index,
          node,
          address: { host, port: 5432 },
        })),
      ),
    async open({ host }: NodeAddress) {
      cluster.opened.push(host);
      const query = async () => {
        const server = host in cluster.found ? cluster.found[host] : `server of ${host}`;
        if (server instanceof Error) throw server;
        return { rows: server === undefined ? [] : [{ identity: server }] };
      };
      return {
        pool: { query } as unknown as Pick<Pool, 'query'>,
        connections: { adapterName: host } as SqlDriverAdapter,
        close: async () => void cluster.closed.push(host),
      };
    },
  });
  onTestFinished(direct.close);
  const route = (node: number) => direct.run(node, toCoordinator, async ({ adapterName }) => adapterName);
  const fail = (node: number, error: Error) =>
    direct.run(node, toCoordinator, () => Promise.reject(error)).catch(() => undefined);
  return { cluster, direct, route, fail };
}

const away = new Error('connect ECONNREFUSED');
const ofServer = (code: string) => Object.assign(new Error('no'), { severity: 'ERROR', code });

it('uses the nodes once they have been tried, and the coordinator for its own shards', async () => {
  const { direct, route } = useCluster({ 0: 'zero', 1: 'one', 2: 'two' });
  expect(await route(1)).toBe('coordinator');
  await direct.refresh();
  expect(await Promise.all([0, 1, 2, 3].map(route))).toEqual(['coordinator', 'one', 'two', 'coordinator']);
  expect(direct.count()).toBe(2);
});

it.each<[string, string | undefined | Error]>([
  ['another server', 'server of three'],
  ['a standby', 'server of two standby'],
  ['a server without the table', undefined],
  ['no server', away],
])('leaves a node to the coordinator while there is %s at its address', async (_, found) => {
  const { cluster, direct, route } = useCluster({ 1: 'one', 2: 'two' }, { two: found });
  await direct.refresh();
  expect([await route(1), await route(2)]).toEqual(['one', 'coordinator']);
  cluster.found = {};
  await direct.refresh();
  expect(await route(2)).toBe('two');
  expect(cluster.opened).toEqual(['one', 'two']);
});

it.each([away, ofServer('57P01'), ofServer('25006'), ofServer('53300')])(
  'leaves a node to the coordinator after %s, until it has been tried again',
  async (error) => {
    const { cluster, direct, route, fail } = useCluster({ 1: 'one', 2: 'two' });
    await direct.refresh();
    await fail(1, error);
    expect([await route(1), await route(2)]).toEqual(['coordinator', 'two']);
    cluster.asked = [];
    await direct.refresh();
    expect(await route(1)).toBe('one');
    expect(cluster.asked).toEqual(['one', 'two']);
  },
);

it.each([ofServer('40001'), ofServer('57014'), ofServer('23514')])(
  'goes on using a node after %s, which it has answered',
  async (error) => {
    const { direct, route, fail } = useCluster({ 1: 'one' });
    await direct.refresh();
    await fail(1, error);
    expect(await route(1)).toBe('one');
  },
);

it('leaves a node to the coordinator once another server has taken its place', async () => {
  const { cluster, direct, route } = useCluster({ 1: 'one', 2: 'two' });
  await direct.refresh();
  cluster.found = { two: 'server of two, promoted' };
  await direct.refresh();
  expect([await route(1), await route(2)]).toEqual(['one', 'coordinator']);
});

it('gives up a statement without an answer, and leaves the node to the coordinator', async () => {
  const { direct, route } = useCluster({ 1: 'one' }, {}, 20);
  await direct.refresh();
  await expect(direct.run(1, toCoordinator, () => new Promise(() => undefined))).rejects.toThrow(
    'timeout exceeded',
  );
  expect(await route(1)).toBe('coordinator');
});

it('closes what a refresh opens meanwhile, and opens nothing any more', async () => {
  const { cluster, direct } = useCluster({ 1: 'one', 2: 'two' });
  const refreshing = direct.refresh();
  await direct.close();
  await refreshing;
  await direct.refresh();
  expect(cluster.opened).toEqual(['one', 'two']);
  expect(cluster.closed).toEqual(['one', 'two']);
  expect(direct.count()).toBe(0);
});

it('follows a node to another address, and closes the connections to the former one', async () => {
  const { cluster, direct, route } = useCluster({ 1: 'one', 2: 'two' });
  await direct.refresh();
  cluster.nodes = { 1: 'one', 2: 'standby-of-two' };
  await direct.refresh();
  expect(await route(2)).toBe('standby-of-two');
  expect(cluster.closed).toEqual(['two']);
  cluster.nodes = { 1: 'one' };
  await direct.refresh();
  expect(await route(2)).toBe('coordinator');
  await direct.close();
  expect(cluster.closed).toEqual(['two', 'standby-of-two', 'one']);
});
