import { Readable } from 'node:stream';
import { removalOf } from '@plant-store/records';
import type { Config } from '../config.js';
import { type CliContext, countOf, type JsonOption } from './cli-context.js';
import { type RecordType, type RecordTypes, readIdLine } from './formats.js';
import { readBatches, storeLines } from './import.js';

/** The ids of the records to delete, or a file with one per line, `-` for standard input, and the line to begin with. */
export interface DeleteOptions extends JsonOption {
  readonly ids: readonly bigint[];
  readonly from?: string;
  readonly fromLine: number;
  /** The resource of plain ids, and the only one whose records are deleted. Default: the first one for plain ids, and all for records. */
  readonly onlyType?: RecordType | undefined;
}

/**
 * Deletes records by id. IDs that were never used are reported and stay free.
 *
 * @throws {OperatorError} at the end, when there were such ids, or invalid lines
 * @throws whatever ends it early, after printing how to resume
 */
export async function deleteRecords(
  config: Config,
  types: RecordTypes,
  { ids, from, fromLine, onlyType, json }: DeleteOptions,
  context: CliContext,
): Promise<void> {
  const isOfFile = from !== undefined;
  const ofIds = onlyType ?? types[0];
  const source = {
    file: from === '-' ? undefined : from,
    ...(!isOfFile && { input: Readable.from([Buffer.from(ids.join('\n'))]) }),
    fromLine,
  };
  const noun = isOfFile ? 'line' : 'argument';
  await storeLines(
    config,
    { ...source, json },
    {
      noun,
      mustExist: true,
      read: (chunks, limits, signal) =>
        readBatches(chunks, limits, (bytes) => readIdLine(bytes, types, { ofIds, onlyType }), signal),
      async store(tombstones, store, { resource }) {
        const changes = await store.change(tombstones.map(({ id }) => removalOf(id)));
        return changes.map(({ before, after }, at) => ({
          stored: after !== undefined,
          problem:
            before === undefined
              ? `No ${resource.name} has ever had the ID ${tombstones[at]?.id}.`
              : undefined,
        }));
      },
      sum: ({ stored, alreadyThere, bad, invalid, nextLine }) => ({
        outcome: {
          deleted: stored,
          deletedBefore: alreadyThere,
          neverExisted: bad - invalid,
          bad: invalid,
          ...(isOfFile && { nextLine }),
        },
        words: `${stored} deleted, ${alreadyThere} already deleted, ${bad - invalid} never existed, ${invalid} bad`,
      }),
      explainUnfinished: (nextLine) =>
        `Not all records were deleted. ${isOfFile ? `Resume with: --from-line ${nextLine}` : 'Run the command again.'}`,
      explainBad: (bad) =>
        `${countOf(bad, noun)} ${bad === 1 ? 'does' : 'do'} not match any ${ofIds.resource.name} and ${bad === 1 ? 'was' : 'were'} skipped. All other ${ofIds.resource.plural} were deleted.`,
    },
    context,
  );
}
