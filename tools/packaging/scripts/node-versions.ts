// Runs programs that use the packed packages on the latest Node.js of each line.
import { withConsumers } from './support/consumer-project.js';
import { run } from './support/run.js';

const lines = [22, 24, 26];

await withConsumers((consumers) => {
  for (const line of lines) {
    const node = (...options: string[]) =>
      run(import.meta.dirname, 'npx', '-y', '-p', `node@${line}`, 'node', ...options);
    const version = node('--version').trim();
    if (!version.startsWith(`v${line}.`)) throw new Error(`${version} is not Node.js ${line}`);
    for (const program of consumers.flatMap(({ programs }) => programs)) node(program);
    console.log(`${version}: the consumers run`);
  }
});
