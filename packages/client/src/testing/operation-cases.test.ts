import { scopes } from '@plant-store/contract/access-token';
import { describe, expect, it } from 'vitest';
// By way of node_modules, which Stryker's copy of this package has as well.
import { createExchange } from '../../node_modules/@plant-store/contract/test/exchange.js';
import { operationCases } from '../../node_modules/@plant-store/contract/test/operation-cases.js';
import { requestCases } from '../../node_modules/@plant-store/contract/test/request-cases.js';
import { createFakePlantStore } from './create-fake-plant-store.js';

describe.each(Object.entries({ ...operationCases, ...requestCases }))(
  '%s of the fake plant store',
  (_topic, cases) => {
    const exchange = createExchange(createFakePlantStore({ scopes }));
    it.each(cases.map(([title, request, reply]) => ({ title, request, reply })))(
      '$title',
      async ({ request, reply }) => {
        expect(await exchange(request)).toEqual(reply);
      },
    );
  },
);
