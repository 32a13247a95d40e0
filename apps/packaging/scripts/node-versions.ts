// Runs the tests of the client, and programs that use the packed packages, on the newest Node.js of each line.
import { resolve } from 'node:path';
import { withConsumers } from './consumer-project.js';
import { run } from './run.js';

const lines = [20, 22, 24, 26];
const client = resolve(import.meta.dirname, '../../../packages/client');
const vitest = 'node_modules/vitest/vitest.mjs';

withConsumers((consumers) => {
  for (const line of lines) {
    const node = (...options: string[]) => run(client, 'npx', '-y', '-p', `node@${line}`, 'node', ...options);
    const version = node('--version').trim();
    if (!version.startsWith(`v${line}.`)) throw new Error(`${version} is not Node.js ${line}`);
    for (const program of consumers.flatMap(({ programs }) => programs)) node(program);
    const report = node(vitest, 'run', '--typecheck.enabled=false', '--no-color');
    console.log(`${version}: the consumers, and of the client's ${/Tests .*/.exec(report)?.[0]}`);
  }
});
