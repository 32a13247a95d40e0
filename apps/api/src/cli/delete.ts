import { Readable } from 'node:stream';
import { removalOf } from '@plant-store/records';
import type { Config } from '../config.js';
import { type CliContext, countOf, type JsonOption } from './cli-context.js';
import { type RecordType, type RecordTypes, readIdLine } from './formats.js';
import { readBatches, storeLines } from './import.js';

/** What to delete: records with these IDs, or the records in a file (`-` for standard input), starting with a line number. */
export interface DeleteOptions extends JsonOption {
  readonly ids: readonly bigint[];
  readonly from?: string;
  readonly fromLine: number;
  /**
   * The resource of plain IDs, and the only resource whose records are deleted. By default, plain IDs belong to the first resource, and
   * records of all resources are deleted.
   */
  readonly onlyType?: RecordType | undefined;
}

/**
 * Deletes records by ID. IDs that were never used are reported and stay free.
 *
 * @throws {OperatorError} at the end, if there were such IDs or invalid lines
 * @throws whatever ends the command early, after printing how to resume
 */
export async function deleteRecords(
  config: Config,
  types: RecordTypes,
  { ids, from, fromLine, onlyType, json }: DeleteOptions,
  context: CliContext,
): Promise<void> {
  const isFromFile = from !== undefined;
  const plainIdType = onlyType ?? types[0];
  const source = {
    file: from === '-' ? undefined : from,
    ...(!isFromFile && { input: Readable.from([Buffer.from(ids.join('\n'))]) }),
    fromLine,
  };
  const noun = isFromFile ? 'line' : 'argument';
  await storeLines(
    config,
    { ...source, json },
    {
      noun,
      mustExist: true,
      read: (chunks, limits, signal) =>
        readBatches(chunks, limits, (bytes) => readIdLine(bytes, types, { plainIdType, onlyType }), signal),
      async store(tombstones, store, { resource }) {
        const changes = await store.change(tombstones.map(({ id }) => removalOf(id)));
        return changes.map(({ before, after }, index) => ({
          stored: after !== undefined,
          problem:
            before === undefined
              ? `No ${resource.name} has ever had the ID ${tombstones[index]?.id}.`
              : undefined,
        }));
      },
      summarize: ({ stored, alreadyThere, bad, invalid, nextLine }) => ({
        outcome: {
          deleted: stored,
          deletedBefore: alreadyThere,
          neverExisted: bad - invalid,
          bad: invalid,
          ...(isFromFile && { nextLine }),
        },
        words: `${stored} deleted, ${alreadyThere} already deleted, ${bad - invalid} never existed, ${invalid} bad`,
      }),
      explainUnfinished: (nextLine) =>
        `Not all records were deleted. ${isFromFile ? `Resume with: --from-line ${nextLine}` : 'Run the command again.'}`,
      explainBad: (bad) =>
        `${countOf(bad, noun)} ${bad === 1 ? 'does' : 'do'} not match any ${plainIdType.resource.name} and ${bad === 1 ? 'was' : 'were'} skipped. All other ${plainIdType.resource.plural} were deleted.`,
    },
    context,
  );
}
