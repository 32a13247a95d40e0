// Compiles and runs programs that use the packed packages, each installed alone.
import { withConsumers } from './support/consumer-project.js';
import { run } from './support/run.js';

await withConsumers((consumers) => {
  for (const { name, programs } of consumers) {
    for (const program of programs) run('.', process.execPath, program);
    console.log(`consumer: ${name}: compiled and ran on ${process.version}`);
  }
});
