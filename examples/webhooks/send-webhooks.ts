import { createClient } from '@plant-store/client';
import { followChanges } from '@plant-store/client/follow';
import { unwrap } from '@plant-store/client/unwrap';
import { loadCursor, storeCursor } from './cursor-file.ts';
import { createDeliver } from './deliver.ts';

const [file, ...others] = process.argv.slice(2);
const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret } = process.env;
if (!file || others.length > 0 || !url || !secret) {
  console.error(
    'Usage: WEBHOOK_URL=<url> WEBHOOK_SECRET=<whsec_…> node send-webhooks.ts <file of the cursor>',
  );
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const client = createClient({
  baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
  token: process.env['PLANT_STORE_TOKEN'] ?? '',
});
const deliver = createDeliver({ url, secret, signal: stop.signal });

try {
  let after = await loadCursor(file);
  if (after === undefined) {
    after = (await unwrap(client.listChanges({ query: {}, signal: stop.signal }))).next;
    // Before the first change, which a restart would leave out otherwise.
    await storeCursor(file, after);
  }
  console.log(`Sending changes to ${url}`);
  for await (const { changes, next } of followChanges(client, { after, limit: 100, signal: stop.signal })) {
    for (const change of changes) await deliver(change);
    // Only now: after a crash the changes of a page are sent again.
    await storeCursor(file, next);
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
