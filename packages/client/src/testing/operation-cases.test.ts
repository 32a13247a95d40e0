import { scopes } from '@plant-store/contract/access-token';
import { describe, it } from 'vitest';
// By way of node_modules, which Stryker's copy of this package has as well.
import { createExchange, expectReply } from '../../node_modules/@plant-store/contract/test/exchange.js';
import { operationCases } from '../../node_modules/@plant-store/contract/test/operation-cases.js';
import { requestCases } from '../../node_modules/@plant-store/contract/test/request-cases.js';
import { createFakePlantStore } from './create-fake-plant-store.js';

describe.each(Object.entries({ ...operationCases, ...requestCases }))(
  '%s of the fake plant store',
  (topic, cases) => {
    const exchange = createExchange(createFakePlantStore({ scopes }));
    it.each(cases.map((expected) => ({ title: expected[0], expected })))('$title', async ({ expected }) => {
      expectReply(topic, expected, await exchange(expected[1]));
    });
  },
);
