import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.js';
import { parseConfig } from './config.js';
import { startService } from './service.js';
import * as openings from './store/open-database.js';

/** Makes closing databases fail. */
function failToClose(): void {
  const { openDatabase } = openings;
  vi.spyOn(openings, 'openDatabase').mockImplementation(async (...options) => {
    const database = await openDatabase(...options);
    const close = () => database.close().then(() => Promise.reject(new Error('disk full')));
    return { ...database, close };
  });
}

it('stops completely even if its database cannot be closed, logs the cause, and reports it', async () => {
  failToClose();
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const DATABASE_URL = `file:${join(temporaryFolder(), 'plant-store.db')}`;
  const config = parseConfig({ DATABASE_URL, PORT: '0', ADMIN_PORT: '0', PAGE: 'off' }, '/');
  const { adminUrl, stop } = await startService(config, log);
  expect((await fetch(`${adminUrl}/livez`)).status).toBe(200);

  expect(await stop()).toBe(false);
  await expect(fetch(`${adminUrl}/livez`)).rejects.toThrow();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, err: { message: 'disk full' } }]);
});
