import createClient from 'openapi-fetch';
import type { paths } from './plants.js';
import { reportCalls } from './report-call.js';

await reportCalls(Number, async ({ baseUrl, token }, body) => {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const { data, error } = await client.POST('/plants', { body });
  return data ?? error;
});
