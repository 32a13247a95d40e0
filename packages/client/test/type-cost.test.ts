import { expect, it } from 'vitest';
import { compile } from './compile.js';

/** A program that creates a client of so many operations, and calls each. */
function program(operations: number): string {
  const names = Array.from({ length: operations }, (_, index) => `getPlant${index}`);
  const each = (text: (name: string) => string) => names.map(text).join('\n');
  return `import type { ErrorBody } from '@plant-store/contract/errors';
import type { Plant } from '@plant-store/contract/operations';
import type { RepliesOf } from '../../src/client.js';
import type { CallOptions } from '../../src/options.js';

const routes = {
  ${each((name) => `${name}: { method: 'GET', path: '/${name}/:id', statuses: [200, 400, 404] },`)}
} as const;
type Responses<Name extends keyof typeof routes> = {
  [Status in (typeof routes)[Name]['statuses'][number]]: Status extends 200 ? Plant : ErrorBody;
};
interface Operations {
  ${each((name) => `${name}: { params: { id: bigint }; query?: { tag?: string }; responses: Responses<'${name}'> };`)}
}
interface Client {
  ${each((name) => `${name}(request: { params: { id: bigint } } & CallOptions): Promise<RepliesOf<Operations['${name}']>>;`)}
}
declare const client: Client;
${each((name) => `client.${name}({ params: { id: 1n } }).then((reply) => reply.status === 200 && reply.body.name);`)}
`;
}

/** How many types the compiler instantiates for a program with so many operations. */
function countInstantiations(operations: number): number {
  const compilerOptions = { lib: ['es2024', 'dom'], types: [], skipLibCheck: true };
  const options = ['--extendedDiagnostics', '--singleThreaded'];
  const printed = compile({ 'program.ts': program(operations) }, compilerOptions, ...options);
  return Number(/^Instantiations:\s+(\d+)/m.exec(printed)?.[1]);
}

// Only a test that hangs takes this long: it runs the compiler three times.
it('costs the compiler no more for one of 100 operations than for one of 10', { timeout: 300_000 }, () => {
  const [one = 0, ten = 0, hundred = 0] = [1, 10, 100].map(countInstantiations);
  expect(one).toBeGreaterThan(0);
  expect((hundred - ten) / 90).toBeLessThanOrEqual(1.2 * ((ten - one) / 9));
});
