import { createPlant } from './plants-bigint/index.js';
import { reportCalls } from './report-call.js';

await reportCalls(BigInt, async ({ baseUrl, token }, plant) => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  return createPlant(plant, { baseURL: baseUrl, headers });
});
