// Compiles and runs programs that use the packed packages.
import { withConsumers } from './consumer-project.js';
import { run } from './run.js';

withConsumers((consumers) => {
  for (const { moduleResolution, programs } of consumers) {
    for (const program of programs) run('.', process.execPath, program);
    console.log(`consumer: compiled with moduleResolution ${moduleResolution}, ran on ${process.version}`);
  }
});
