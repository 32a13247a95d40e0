import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { run } from './support/process.ts';
import { startService } from './support/service.ts';

const { folder, command } = findExample('list-plants');

it('prints the plants that match, as its README says', async () => {
  const service = await startService();
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  await client.createPlant({ body: { id: 9223372036854775807n, name: 'Monstera', tag: 'houseplant' } });
  await client.createPlant({ body: { id: 1, name: 'Rose', tag: 'shrub' } });
  await client.createPlant({ body: { id: 2, name: 'Fern', tag: 'houseplant' } });
  const environment = { NODE_OPTIONS: '--no-warnings', ...service.environment };
  const { status, stdout, stderr } = await run(['sh', '-c', command], { folder, environment });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = ['2\tFern\thouseplant', '9223372036854775807\tMonstera\thouseplant'];
  expect(stdout.trimEnd().split('\n').sort()).toEqual(lines);
});
