import { Api } from './plants/api.js';
import { reportCalls } from './report-call.js';

await reportCalls(Number, async ({ baseUrl, token }, plant) => {
  const api = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${token}` } } });
  const { data, error } = await api.plants.createPlant(plant).catch((reply) => {
    if (reply instanceof Error) throw reply;
    return reply;
  });
  return data ?? error;
});
