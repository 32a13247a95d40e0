import { plantFieldNames } from '@plant-store/contract/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRequired } from '../plant.js';
import { sequences } from './commands.js';
import type { PlantModel } from './plant-model.js';
import { createFakeTarget } from './targets/fake-target.js';
import type { Target } from './targets/target.js';

/** Runs sequences of commands on one plant store, and rejects with the first difference. */
async function check(target: Target): Promise<void> {
  const known = { plants: new Map(), retired: new Set<bigint>(), unknown: new Set<bigint>() };
  const counts = {
    ...{ requests: 0, restarts: 0, interrupted: 0, withoutReply: 0 },
    ...{ revocations: 0, slowestRevocationMs: 0 },
  };
  for (const [run, commands] of fc.sample(sequences, { seed: 1, numRuns: 20 }).entries()) {
    const model: PlantModel = { ...known, run, tokens: new Map() };
    await fc.asyncModelRun(() => ({ model, real: { targets: [target], counts } }), commands);
  }
  expect(await target.readPlants()).toEqual(known.plants);
}

it('finds nothing in the fake', async () => {
  await expect(check(createFakeTarget())).resolves.toBeUndefined();
});

it.each(plantFieldNames.filter((name) => !isRequired(name)))(
  'finds that a store drops the %s',
  async (name) => {
    const fake = createFakeTarget();
    const member = new RegExp(`,"${name}":"(?:[^"\\\\]|\\\\.)*"`, 'g');
    const send: Target['send'] = ({ body, ...request }, token) =>
      fake.send({ ...request, ...(body !== undefined && { body: body.replace(member, '') }) }, token);
    await expect(check({ ...fake, send })).rejects.toThrow(`"${name}"`);
  },
);
