import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, inject, it, vi } from 'vitest';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService();
beforeAll(async () => {
  // From here on the token is cached.
  await postPlant(service, { id: 1, name: 'Fern' }).expect(200);
});

const channel = 'http.server.request.start';

/**
 * Sends requests, and resolves once a server in this process has received this many and has begun to handle them; with
 * its side of the connection of each.
 */
async function sendUntilReceived(count: number, send: () => void): Promise<readonly Socket[]> {
  const received: Socket[] = [];
  const onRequest = (message: unknown) => void received.push((message as { readonly socket: Socket }).socket);
  subscribe(channel, onRequest);
  send();
  await until(() => received.length === count, 1);
  unsubscribe(channel, onRequest);
  // More than the service takes to pass requests on, some in each turn, until they wait for the database.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  return received;
}

// It looks into the process that serves the requests.
it.skipIf(inject('workers') > 1).each([
  ['resets the connection', 'reset', 'close', 1_000],
  // It might have closed its sending side only, and read the replies.
  ['closes it', 'destroy', 'end', 2_000],
] as const)(
  'are each logged with the plant they stored, even if the client %s before any reply',
  async (_, disconnect, noticed, first) => {
    const connections = await Promise.all(Array.from({ length: 100 }, () => openConnection(service.baseUrl)));
    // A request gives up after a second; the clock stands still, so that a slow machine takes less.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const endOutage = await service.database.beginOutage('locked');
    const received = await sendUntilReceived(100, () => {
      for (const [at, connection] of connections.entries())
        connection.write(composePlantRequest(service, `{"id":${first + at},"name":"Fern"}`));
    });
    const gone = Promise.all(received.map((socket) => new Promise((seen) => socket.once(noticed, seen))));
    for (const connection of connections) connection[disconnect]();
    await gone;
    await endOutage();
    clock.mockRestore();

    const ids = connections.map((_, at) => String(first + at));
    const logged = () =>
      service.logLines.map((line) => JSON.parse(line)).filter(({ plantId }) => ids.includes(plantId));
    await until(() => logged().length === 100);
    expect(new Set(logged().map(({ plantId }) => plantId))).toEqual(new Set(ids));
    // One that is reset is logged before the commit that its plant is in.
    await until(async () => {
      const stored = new Set((await readPlants(service)).map(({ id }) => id));
      return ids.every((id) => stored.has(id));
    });
    if (disconnect === 'reset')
      expect(logged().filter(({ msg }) => msg === 'request cut off')).toHaveLength(100);
  },
);
