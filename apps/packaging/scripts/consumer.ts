// Compiles and runs programs that use the packed packages, each installed alone: with npm, and the client with others.
import { withConsumers } from './consumer-project.js';
import { checkPackageManagers } from './package-managers.js';
import { run } from './run.js';

await withConsumers((consumers, client) => {
  for (const { name, programs } of consumers) {
    for (const program of programs) run('.', process.execPath, program);
    console.log(`consumer: ${name}: compiled and ran on ${process.version}`);
  }
  checkPackageManagers(client, consumers[0]?.programs ?? []);
});
