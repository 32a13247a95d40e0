// Runs a bundle of main.js in Node.js: its path and the service are on the command line.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [bundle, service] = process.argv.slice(2);
globalThis.service = JSON.parse(service);
await import(pathToFileURL(resolve(bundle)).href);
console.log(JSON.stringify(await globalThis.called));
