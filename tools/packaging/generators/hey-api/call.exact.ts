import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { client } from './plants-bigint/client.gen.js';
import { createPlant } from './plants-bigint/index.js';
import { reportCalls } from './report-call.js';

await reportCalls(BigInt, async ({ baseUrl, token }, body) => {
  client.setConfig({
    baseUrl,
    auth: token,
    bodySerializer: (body: unknown) => stringifyExactJson(body as ExactJson),
  });
  const { data, error } = await createPlant({ body });
  return data ?? error;
});
