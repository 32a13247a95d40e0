import { createPlant } from './plants.js';
import { reportCalls } from './report-call.js';

await reportCalls(Number, async ({ token }, plant) => {
  const { data } = await createPlant(plant, { headers: { Authorization: `Bearer ${token}` } });
  return data;
});
