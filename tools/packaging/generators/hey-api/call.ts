import { client } from './plants/client.gen.js';
import { createPlant } from './plants/index.js';
import { reportCalls } from './report-call.js';

await reportCalls(Number, async ({ baseUrl, token }, body) => {
  client.setConfig({ baseUrl, auth: token });
  const { data, error } = await createPlant({ body });
  return data ?? error;
});
