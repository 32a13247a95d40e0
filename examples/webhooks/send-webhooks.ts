import { createClient, followChanges, unwrap } from '@plant-store/client';
import { loadCursor, storeCursor } from './cursor-file.ts';
import { createDeliver } from './deliver.ts';

const [file = '', ...others] = process.argv.slice(2);
const {
  WEBHOOK_URL: url = '',
  WEBHOOK_SECRET: secret = '',
  PLANT_STORE_URL: baseUrl = 'http://127.0.0.1:3000',
  PLANT_STORE_TOKEN: token = '',
} = process.env;

const problems = [
  file === '' || others.length > 0 ? 'Name one file for the cursor.' : [],
  URL.parse(url)?.protocol.startsWith('http') ? [] : 'Set WEBHOOK_URL to an http or https URL.',
  // From 24 to 64 bytes.
  /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(secret)
    ? []
    : 'Set WEBHOOK_SECRET to whsec_ and at least 24 random bytes in Base64.',
  token === '' ? 'Set PLANT_STORE_TOKEN to an access token with the scope read.' : [],
].flat();
if (problems.length > 0) {
  console.error(
    'Usage: WEBHOOK_URL=<url> WEBHOOK_SECRET=<whsec_…> node send-webhooks.ts <file of the cursor>',
  );
  for (const problem of problems) console.error(problem);
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

try {
  const client = createClient({ baseUrl, token });
  const deliver = createDeliver({ url, secret, signal: stop.signal });
  let after = await loadCursor(file);
  if (after === undefined) {
    after = (await unwrap(client.listChanges({ query: {}, signal: stop.signal }))).next;
    // Before the first change, which a restart would leave out otherwise.
    await storeCursor(file, after);
  }
  console.log(`Sending changes to ${url}`);
  const onCursorExpired = async () => {
    console.log('A backup was restored: all that is stored is sent again');
    await deliver({ kind: 'restored' });
    await storeCursor(file, '0');
  };
  const options = { after, limit: 100, signal: stop.signal, onCursorExpired };
  for await (const { changes, next } of followChanges(client, options)) {
    for (const change of changes) await deliver(change);
    // Only now: after a crash the changes of a page are sent again.
    await storeCursor(file, next);
  }
} catch (error) {
  if (!stop.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
