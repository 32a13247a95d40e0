import { join } from 'node:path';
import type { Engine } from '../databases/database.js';
import { withDatabases } from '../databases/with-databases.js';
import type { Proof, ProofContext, ProofResult } from '../proof.js';
import { issueToken } from '../service/run-command.js';
import { startService } from '../service/start-service.js';
import { createLedger } from './check/ledger.js';
import { bodyMaxBytes } from './generate/body.js';
import { runStreams } from './run-streams.js';

/** On each engine. */
const requests = { short: 1_000, full: 100_000 } as const;

/**
 * Sends generated requests, most of them with something wrong, and compares every reply with the OpenAPI document and
 * with what docs/use/api.md promises, and what is stored then with every reply.
 */
export const proveInput: Proof = async (context) => [
  await proveOn('sqlite', context),
  await proveOn('postgresql', context),
];

function proveOn(
  engine: Engine,
  { seed, amount, settings, trials, log }: ProofContext,
): Promise<ProofResult> {
  return withDatabases(engine, async ({ folder, server }) => {
    const database = await server.createDatabase();
    const token = await issueToken({ ...settings, DATABASE_URL: database.url });
    const service = await startService({
      databaseUrl: database.url,
      logFile: join(folder, 'service.log'),
      // No limit of wrong tokens, which would otherwise be all that most requests meet.
      settings: {
        AUTH_FAILURES_PER_MINUTE: '0',
        BODY_MAX_BYTES: String(bodyMaxBytes),
        LOG_REQUESTS: 'errors',
        ...settings,
      },
    });
    const ledger = createLedger();
    const startedAt = performance.now();
    const target = { port: service.port, token, bodyMaxBytes };
    const run = await runStreams(target, { seed, requests: trials?.['input'] ?? requests[amount] }, ledger);
    const seconds = (performance.now() - startedAt) / 1000;
    const hasEnded = service.hasEnded();
    const differences = ledger.compare(await database.readRows());
    await service.kill('SIGTERM');
    log(`${engine}: ${run.requests} requests in ${Math.round(seconds)} s`);
    return {
      promise: `Every reply is documented, and what is accepted is stored exactly, on ${engine}`,
      figures: {
        requests: run.requests,
        connections: run.streams,
        ...Object.fromEntries(
          [...run.statuses]
            .toSorted(([a], [b]) => a - b)
            .map(([status, count]) => [`status ${status}`, count]),
        ),
        'plants compared': ledger.size,
        'of those deleted': ledger.deleted,
        'requests/s': Math.round(run.requests / seconds),
      },
      failures: [...run.failures, ...differences, ...(hasEnded ? ['the service ended'] : [])],
    };
  });
}
