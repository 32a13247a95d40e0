// Prints the version of the installed client and, with a service on the command line, the status of a call.
import process from 'node:process';
import { createClient } from '@plant-store/client';
import manifest from '@plant-store/client/package.json' with { type: 'json' };

const service = process.argv[2];
const body = { id: 9223372036854775807n, name: 'Rose' };
const reply = service && (await createClient(JSON.parse(service)).createPlant({ body }));
console.log(manifest.version, reply?.status ?? '');
