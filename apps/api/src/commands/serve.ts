import { resolve } from 'node:path';
import type { Config } from '../config.js';
import { createLog } from '../operations/create-log.js';
import { allocateYoung, limitHeapGrowth } from '../operations/limit-heap-growth.js';
import { startService } from '../start-service.js';
import { describeQuickstart, ensureQuickstartToken } from './quickstart.js';
import type { Terminal } from './terminal.js';

/**
 * Runs the service until it is asked to stop; resolves once the last reply is sent and the database is closed. All that
 * it prints goes through the log, which waits for no reader.
 */
export async function serve(
  config: Config,
  { quickstart = false }: { readonly quickstart?: boolean },
  terminal: Terminal,
): Promise<void> {
  limitHeapGrowth();
  allocateYoung();
  const { log, print, close: closeLog } = createLog(config.logLevel);
  const stopSignal = terminal.stopSignal();
  const service = await startService(config, log);
  const { baseUrl, adminUrl, appliedMigrations } = service;
  try {
    log.info({ baseUrl, adminUrl, appliedMigrations }, 'listening');
    if (quickstart) {
      const tokenFile = resolve(terminal.folder, 'data/access-token');
      await ensureQuickstartToken(service.accessTokens, tokenFile);
      print(describeQuickstart(baseUrl, tokenFile));
    }
    log.info({ signal: await stopSignal }, 'stopping');
  } finally {
    const inTime = await service.stop();
    log.info({ inTime }, 'stopped');
    await closeLog();
  }
}
