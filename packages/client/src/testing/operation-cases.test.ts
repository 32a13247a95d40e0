import { describe, expect, it } from 'vitest';
import { createExchange } from '../../../contract/test/exchange.js';
import { operationCases } from '../../../contract/test/operation-cases.js';
import { requestCases } from '../../../contract/test/request-cases.js';
import { createFakePlantStore } from './create-fake-plant-store.js';

describe.each(Object.entries({ ...operationCases, ...requestCases }))(
  '%s of the fake plant store',
  (_, cases) => {
    const exchange = createExchange(createFakePlantStore());
    it.each(cases)('%s', async (_, request, reply) => {
      expect(await exchange(request)).toEqual(reply);
    });
  },
);
