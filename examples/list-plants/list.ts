import { parseArgs } from 'node:util';
import { createClient, listAll } from '@plant-store/client';

const { values } = parseArgs({
  options: { tag: { type: 'string' }, query: { type: 'string' }, newest: { type: 'boolean' } },
});
const client = createClient({
  baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
  token: process.env['PLANT_STORE_TOKEN'] ?? '',
});
const { tag, query: q, newest } = values;
for await (const plant of listAll(client, { tag, q, order: newest ? 'newest' : 'id' })) {
  console.log(`${plant.id}\t${plant.name}\t${plant.tag ?? ''}`);
}
