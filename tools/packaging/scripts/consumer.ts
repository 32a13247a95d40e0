// Compiles and runs programs that use the packed packages, each installed alone: with npm, and the client that a service hands
// out with other package managers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConsumers } from './support/consumer-project.js';
import { checkPackageManagers } from './support/package-managers.js';
import { run } from './support/run.js';
import { startService } from './support/start-service.js';

await withConsumers(async (consumers) => {
  for (const { name, programs } of consumers) {
    for (const program of programs) run('.', process.execPath, program);
    console.log(`consumer: ${name}: compiled and ran on ${process.version}`);
  }
  const consumer = consumers.find(({ packageName }) => packageName === 'client');
  if (consumer === undefined) throw new Error('No project uses the client');
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-managers-'));
  const service = await startService(folder);
  try {
    checkPackageManagers(folder, service.baseUrl, consumer.programs);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
});
