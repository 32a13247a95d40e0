import { parseArgs } from 'node:util';
import { createClient } from '@plant-store/client';
import { loadPlants } from './load-plants.ts';
import { showProgress } from './show-progress.ts';

process.exitCode = await main();

/** Resolves to the exit status: 0 if every plant is stored, 1 if it stopped, 2 for wrong arguments, 3 if lines are rejected. */
async function main(): Promise<number> {
  const file = readArguments();
  if (file === undefined) {
    console.error('Usage: node load.ts <file of NDJSON>');
    return 2;
  }
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => interrupted.abort(new Error(`Stopped by ${name}`)));
  }
  const counts = { stored: 0, alreadyThere: 0, rejected: 0, bytesRead: 0, bytesTotal: 0 };
  const rejectedFile = `${file}.rejected`;
  const endProgress = showProgress(process.stderr, counts);
  try {
    const client = createClient({
      baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
      token: process.env['PLANT_STORE_TOKEN'] ?? '',
      // Outlasts a restart or an overload of the service, and waits as long as its `Retry-After` asks.
      retries: Infinity,
      timeoutMs: 600_000,
    });
    await loadPlants({ file, rejectedFile, client, signal: interrupted.signal, counts });
  } catch (error) {
    endProgress();
    console.error(error instanceof Error ? error.message : error);
    console.error('Not every line was read. Run the same command again: nothing is stored twice.');
    return 1;
  }
  endProgress();
  if (counts.rejected === 0) return 0;
  console.error(`The rejected lines, with reasons: ${rejectedFile}`);
  return 3;
}

function readArguments(): string | undefined {
  try {
    const [file, ...others] = parseArgs({ allowPositionals: true }).positionals;
    return others.length === 0 ? file : undefined;
  } catch {
    return undefined;
  }
}
