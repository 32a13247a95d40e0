import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { sendUntilReceived } from '../support/send-until-received.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => {
  vi.restoreAllMocks();
  return service.stop();
});

// It looks into the process that serves the requests.
it.skipIf(inject('workers') > 1).each([
  ['resets the connection', 'reset', 'close'],
  // It might have closed its sending side only, and read the replies.
  ['closes it', 'destroy', 'end'],
] as const)(
  'are each logged with the plant they stored, even if the client %s before any reply',
  async (_, disconnect, noticed) => {
    // From here on the token is cached.
    expect((await postPlant(service, { id: 1000, name: 'Fern' })).status).toBe(200);
    const connections = await Promise.all(Array.from({ length: 100 }, () => openConnection(service.baseUrl)));
    // A request gives up after a second; the clock stands still, so that a slow machine takes less.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const endOutage = await service.database.beginOutage('locked');
    const received = await sendUntilReceived(100, () => {
      for (const [at, connection] of connections.entries())
        connection.write(composePlantRequest(service, `{"id":${1001 + at},"name":"Fern"}`));
    });
    const gone = Promise.all(
      received.map((socket) => new Promise((resolve) => socket.once(noticed, resolve))),
    );
    for (const connection of connections) connection[disconnect]();
    await gone;
    await endOutage();

    await until(async () => (await readPlants(service)).length === 101);
    await until(() => service.logLines.length >= 101);
    const lines = service.logLines.map((line) => JSON.parse(line));
    const stored = (await readPlants(service)).map(({ id }) => id);
    expect(lines.map(({ plantId }) => plantId).toSorted()).toEqual(stored.toSorted());
    if (disconnect === 'reset')
      expect(lines.filter(({ msg }) => msg === 'request cut off')).toHaveLength(100);
  },
);
