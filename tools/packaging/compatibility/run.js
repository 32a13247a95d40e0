// Calls the service on the command line with the client as installed, in Node.js, Bun and Deno.
import process from 'node:process';
import { callService } from './call-service.js';

console.log(JSON.stringify(await callService(JSON.parse(process.argv.at(-1)))));
