import './exact-bigint.js';
import { createPlant } from './plants.bigint.js';
import { reportCalls } from './report-call.js';

await reportCalls(BigInt, async ({ token }, plant) => {
  const { data } = await createPlant(plant, { headers: { Authorization: `Bearer ${token}` } });
  return data;
});
