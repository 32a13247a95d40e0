import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import createClient from 'openapi-fetch';
import type { paths } from './plants.bigint.js';
import { reportCalls } from './report-call.js';

await reportCalls(BigInt, async ({ baseUrl, token }, body) => {
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient<paths>({
    baseUrl,
    headers,
    bodySerializer: (body: unknown) => stringifyExactJson(body as ExactJson),
  });
  const { data, error } = await client.POST('/plants', { body });
  return data ?? error;
});
