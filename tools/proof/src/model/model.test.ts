import { expect, it } from 'vitest';
import { testedResources } from '../load/records.js';
import { runSequences } from './model.js';
import { createFakeStore, type Store } from './stores.js';

const context = { seed: 1, log: () => undefined };

/** The findings for a store that is a modified fake. */
async function findIn(change: (fake: Store) => Partial<Store>): Promise<readonly string[]> {
  const fake = createFakeStore();
  return (await runSequences(30, context, createFakeStore(), [{ ...fake, ...change(fake) }])).failures;
}

it('finds nothing in a store that implements the API', async () => {
  expect(await findIn(() => ({}))).toEqual([]);
});

const optional = testedResources.flatMap(({ fields }) =>
  Object.entries(fields).flatMap(([name, { required }]) => (required ? [] : name)),
);
it.each(optional)('detects that a store drops the %s', async (name) => {
  const member = new RegExp(`,"${name}":("(?:[^"\\\\]|\\\\.)*"|\\[[^\\]]*\\]|[^,}]*)`, 'g');
  const failures = await findIn(({ send }) => ({
    send: ({ body, ...request }, token) => send({ ...request, body: body?.replace(member, '') }, token),
  }));
  expect(failures.join('\n')).toContain(`"${name}"`);
});

it('detects that a store forgets deletes', async () => {
  const failures = await findIn(({ send }) => ({
    async send(request, token) {
      const { body, ...seen } = await send(request, token);
      return { ...seen, body: body.replace('"error":40007', '"error":40003') };
    },
  }));
  expect(failures.join('\n')).toContain('40007');
});
