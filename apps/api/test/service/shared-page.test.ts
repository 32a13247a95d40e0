import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { listen } from '../support/listen.js';
import { openApp, silentLog } from '../support/open-app.js';
import type { PlantStore } from '../support/plants/plants-of.js';
import { until } from '../support/until.js';

it('reads a page once for the requests of a caller that wait for it', async () => {
  let arrived = 0;
  class CountedCallers extends ActiveCallers {
    override note(): void {
      arrived++;
    }
  }
  const reads: (() => void)[] = [];
  const list: PlantStore['list'] = () =>
    new Promise((resolve) => {
      const plants = [{ id: 2n ** 53n + 1n, name: `Fern "${reads.length + 1}"` }];
      reads.push(() => resolve({ records: plants, last: undefined }));
    });
  const plant = { list, findHistory: async () => [] as const } as unknown as PlantStore;
  const replaced = { stores: { plant }, callers: new CountedCallers() };
  const { app, token } = await openApp(silentLog, {}, replaced);
  const url = await listen(createServer(app, silentLog));
  const request = async (path: string) => {
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return { id: reply.headers.get('x-request-id'), text: await reply.text() };
  };
  const first = request('/plants');
  await until(() => reads.length === 1);
  const others = ['/plants', '/plants', '/plants?limit=7', '/plants'].map(request);
  await until(() => arrived === 5);
  for (let read = 0; read < 3; read++) {
    await until(() => reads.length > read);
    reads[read]?.();
  }
  const replies = await Promise.all([first, ...others]);

  const shown = (read: number) =>
    `{"plants":[{"id":9007199254740993,"idText":"9007199254740993","name":"Fern \\"${read}\\""}]}`;
  expect(replies.map(({ text }) => text)).toEqual([1, 2, 2, 3, 2].map(shown));
  expect(new Set(replies.map(({ id }) => id)).size).toBe(5);
});
