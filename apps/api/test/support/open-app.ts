import { join } from 'node:path';
import type { Express } from 'express';
import { type Logger, pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import { createTokenService } from '../../src/auth/token-service.js';
import { parseConfig } from '../../src/config.js';
import { createApp } from '../../src/http/create-app.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { createTurns } from '../../src/runtime/turns.js';
import { openDatabase } from '../../src/store/open-database.js';
import { insertToken } from './database/insert-token.js';
import { createTestQueue } from './plants/create-test-queue.js';
import { temporaryFolder } from './temporary-folder.js';

/** A log that writes nothing. */
export const silentLog = pino({ level: 'silent' });

type Parts = Parameters<typeof createApp>[0];

/** What the app is made of instead of the usual parts; of the stores, those of some resources. */
type Replaced = Partial<Omit<Parts, 'stores'>> & { readonly stores?: Partial<Parts['stores']> };

/**
 * Opens the app on a new database, with a token for it, for tests that create the server themselves. `environment`
 * holds the settings that differ from the defaults, `replaced` what it is made of instead.
 */
export async function openApp(
  log: Logger = silentLog,
  environment: Readonly<Record<string, string>> = {},
  { stores, ...replaced }: Replaced = {},
): Promise<{ app: Express; token: string }> {
  const settings = {
    DATABASE_URL: `file:${join(temporaryFolder(), 'plant-store.db')}`,
    FAST_PATH: inject('fastPath'),
    ...environment,
  };
  const config = parseConfig(settings, '/');
  const database = await openDatabase(config.database, { log });
  onTestFinished(() => database.close());
  const accessTokens = createTokenService(database.accessTokens);
  const app = createApp({
    ...config,
    queue: createTestQueue(database, { limits: config.queueLimits }),
    stores: { ...database.stores, ...stores },
    accessTokens,
    ownTokens: accessTokens,
    audit: database.audit,
    turns: createTurns(new ActiveCallers()),
    concurrentLists: 1,
    callers: new ActiveCallers(),
    log,
    draining: new AbortController().signal,
    stopping: new AbortController().signal,
    ...replaced,
  });
  return { app, token: await insertToken(config.database) };
}
