import { createClient } from '@plant-store/client';
import { createTanstackQueryUtils } from '@plant-store/client/tanstack-query';

export const createRose = (token: string) =>
  createTanstackQueryUtils(
    createClient({ baseUrl: 'http://127.0.0.1:3000', token }),
  ).createPlant.mutationOptions();
