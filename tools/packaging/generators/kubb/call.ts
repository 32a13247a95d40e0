import { createPlant } from './plants/index.js';
import { reportCalls } from './report-call.js';

await reportCalls(Number, async ({ baseUrl, token }, plant) => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  return createPlant(plant, { baseURL: baseUrl, headers });
});
