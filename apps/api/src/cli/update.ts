import { messagesOf } from '@plant-store/contract/messages';
import { isTombstone } from '@plant-store/records';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { orThrow } from '../store/store.js';
import { type CliContext, type JsonOption, toJsonLine, writeResult } from './cli-context.js';
import { retryWhileUnavailable, storeOf, withDatabase } from './database.js';
import type { RecordType } from './formats.js';

/**
 * Replaces fields of the record with an id, and prints it.
 *
 * @param values of the fields that are replaced, by their names; `undefined` for one that is removed
 * @throws {OperatorError} when there is no such record
 */
export async function update(
  config: Config,
  type: RecordType,
  { id, values, json = false }: JsonOption & { readonly id: bigint; readonly values: object },
  context: CliContext,
): Promise<void> {
  const { resource, operations, formats } = type;
  await withDatabase(config, { mustExist: true }, async (database) => {
    const [outcome] = await retryWhileUnavailable(() =>
      storeOf(database, type).change([
        {
          ...{ id, bytes: 0 },
          replace: (existing) =>
            existing === undefined || isTombstone(existing)
              ? undefined
              : operations.withFields(existing, { ...operations.columns.pick(existing), ...values }),
        },
      ]),
    );
    if (outcome === undefined) throw new Error('The store returned no outcome');
    const { before, after } = orThrow(outcome);
    const record = after ?? before;
    if (record === undefined || isTombstone(record))
      throw new OperatorError(messagesOf(resource).notFound(id));
    await writeResult(context, json ? toJsonLine(operations.show(record)) : formats.ndjson.write(record));
  });
}
