import { expect, it } from 'vitest';
import type { Target } from './target.js';
import { withWorkers } from './with-environment.js';

const target = (name: string): Target => ({
  name,
  title: name,
  about: 'A target.',
  stores: true,
  prepare: async (databaseUrl) => ({
    file: name,
    args: [],
    environment: { DATABASE_URL: databaseUrl },
    token: 'token',
  }),
});

it('sets the number of workers for the service alone, and keeps the rest of its environment', async () => {
  const [service, other] = withWorkers([target('plant-store'), target('baseline')], 4);
  expect(service?.about).toBe('A target. WORKERS=4.');
  expect(await service?.prepare('file:a')).toMatchObject({
    file: 'plant-store',
    environment: { DATABASE_URL: 'file:a', WORKERS: '4' },
  });
  expect((await other?.prepare('file:a'))?.environment).toEqual({ DATABASE_URL: 'file:a' });
});

it('leaves the service at its default where no number is given', async () => {
  const [service] = withWorkers([target('plant-store')], undefined);
  expect((await service?.prepare('file:a'))?.environment).toEqual({ DATABASE_URL: 'file:a' });
});
