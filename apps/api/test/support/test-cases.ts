import { beforeAll, describe, expect, it } from 'vitest';
import { type Case, createExchange } from '../../../../packages/contract/test/exchange.js';
import { useTestService } from './start-test-service.js';

/** Defines a test for each case, by topic: each topic begins with a new service, whose database is empty. */
export function testCases(topics: Readonly<Record<string, readonly Case[]>>): void {
  describe.each(Object.entries(topics))('%s', (_topic, cases) => {
    const service = useTestService();
    let exchange: ReturnType<typeof createExchange>;
    beforeAll(() => {
      exchange = createExchange({ ...service, fetch });
    });

    it.each(cases.map(([title, request, reply]) => ({ title, request, reply })))(
      '$title',
      async ({ request, reply }) => {
        expect(await exchange(request)).toEqual(reply);
      },
    );
  });
}
