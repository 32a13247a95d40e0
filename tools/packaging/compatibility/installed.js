// Prints the version of the installed client, and the status of a call of the service on the command line, if there is one.
import process from 'node:process';
import manifest from '@plant-store/client/package.json' with { type: 'json' };
import { callService } from './call-service.js';

const [service] = process.argv.slice(2);
const called = service === undefined ? [] : [(await callService(JSON.parse(service))).status];
console.log([manifest.version, ...called].join(', '));
