// Prints the version of the installed client and, with a service on the command line, the status of a call.
import process from 'node:process';
import { createClient } from '@plant-store/client';
import manifest from '@plant-store/client/package.json' with { type: 'json' };

const plant = { id: 9223372036854775807n, name: 'Rose' };
const call = async (service) => (await createClient(service).createPlant({ body: plant })).status;
const service = process.argv[2];
console.log(manifest.version, service === undefined ? '' : await call(JSON.parse(service)));
