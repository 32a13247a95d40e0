// Compiles and runs programs that use the packed packages, each installed alone: with npm, and the client with others.
import { withConsumers } from './support/consumer-project.js';
import { checkPackageManagers } from './support/package-managers.js';
import { run } from './support/run.js';

await withConsumers((consumers, client) => {
  for (const { name, programs } of consumers) {
    for (const program of programs) run('.', process.execPath, program);
    console.log(`consumer: ${name}: compiled and ran on ${process.version}`);
  }
  const consumer = consumers.find(({ packageName }) => packageName === 'client');
  if (consumer === undefined) throw new Error('No project uses the client');
  checkPackageManagers(client, consumer.programs);
});
