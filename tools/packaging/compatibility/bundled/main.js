// Bundled: calls the service that whoever runs the bundle sets, so that it needs no API of a runtime.
import { createClient } from '@plant-store/client';

const client = createClient(globalThis.service);
globalThis.called = client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } });
