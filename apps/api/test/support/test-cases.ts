import { beforeAll, describe, it } from 'vitest';
import { type Case, createExchange, expectReply } from '../../../../packages/contract/test/exchange.js';
import { useTestService } from './start-test-service.js';

/** Defines a test for each case, by topic: each topic begins with a new service, whose database is empty. */
export function testCases(topics: Readonly<Record<string, readonly Case[]>>): void {
  describe.each(Object.entries(topics))('%s', (topic, cases) => {
    const service = useTestService();
    let exchange: ReturnType<typeof createExchange>;
    beforeAll(() => {
      exchange = createExchange({ ...service, fetch });
    });

    it.each(cases.map((expected) => ({ title: expected[0], expected })))('$title', async ({ expected }) => {
      expectReply(topic, expected, await exchange(expected[1]));
    });
  });
}
