// Runs a bundled script in Vercel's Edge Runtime.
import { readFileSync } from 'node:fs';
import { EdgeVM } from '@edge-runtime/vm';

const [bundle, service] = process.argv.slice(2);
const vm = new EdgeVM();
vm.evaluate(`globalThis.service = ${service}`);
vm.evaluate(readFileSync(bundle, 'utf8'));
console.log(JSON.stringify(await vm.evaluate('globalThis.called')));
