import type { Plant } from '@plant-store/contract';
import { fieldsOf } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { isTombstone } from '@plant-store/records';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { showStoredPlant } from '../plants/show-plant.js';
import { withFields } from '../plants/update-plant.js';
import { orThrow } from '../store/store.js';
import { type CliContext, writeResult } from './cli-context.js';
import { retryWhileUnavailable, withDatabase } from './database.js';
import { formats } from './formats.js';
import { type JsonOption, toJsonLine } from './json-output.js';

/** The texts that are replaced; `false` for one that is removed. */
export type Updates = { readonly [Name in keyof Plant]?: string | false };

/**
 * Replaces texts of the plant with an id, and prints it.
 *
 * @throws {OperatorError} when there is no such plant
 */
export async function update(
  config: Config,
  id: bigint,
  updates: Updates,
  { json = false }: JsonOption,
  context: CliContext,
): Promise<void> {
  const texts = Object.entries(updates).map(([name, text]) => [name, text === false ? undefined : text]);
  await withDatabase(config, { mustExist: true }, async ({ stores: { plant: plants } }) => {
    const [outcome] = await retryWhileUnavailable(() =>
      plants.change([
        {
          ...{ id, bytes: 0 },
          replace: (existing) =>
            existing === undefined || isTombstone(existing)
              ? undefined
              : withFields(existing, { ...fieldsOf(existing), ...Object.fromEntries(texts) }),
        },
      ]),
    );
    if (outcome === undefined) throw new Error('The store returned no outcome');
    const { before, after } = orThrow(outcome);
    const plant = after ?? before;
    if (plant === undefined || isTombstone(plant)) throw new OperatorError(messages.plantNotFound(id));
    await writeResult(context, json ? toJsonLine(showStoredPlant(plant)) : formats.ndjson.write(plant));
  });
}
