import { Readable } from 'node:stream';
import { removalOf } from '@plant-store/records';
import type { Config } from '../config.js';
import { orThrow } from '../store/store.js';
import { type CliContext, countOf } from './cli-context.js';
import { readIdLine } from './formats.js';
import { readBatches, storeLines } from './import.js';
import type { JsonOption } from './json-output.js';

/** The ids of the plants to delete, or a file that has one a line, `-` for standard input, and the line to begin with. */
export interface DeleteOptions extends JsonOption {
  readonly ids: readonly bigint[];
  readonly from?: string;
  readonly fromLine: number;
}

/**
 * Deletes plants by their ids. Those that no plant ever had are reported and stay free.
 *
 * @throws {OperatorError} at the end, when there were such ids, or invalid lines
 * @throws whatever ends it early, after printing how to resume
 */
export async function deletePlants(
  config: Config,
  { ids, from, fromLine, json }: DeleteOptions,
  context: CliContext,
): Promise<void> {
  const isOfFile = from !== undefined;
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
      read: (chunks, limits, signal) => readBatches(chunks, limits, signal, readIdLine),
      async store(tombstones, plants) {
        const changes = await plants.change(tombstones.map(({ id }) => removalOf(id)));
        return changes.map(orThrow).map(({ before, after }, at) => ({
          stored: after !== undefined,
          problem: before === undefined ? `No plant has ever had the id ${tombstones[at]?.id}.` : undefined,
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
        words: `${stored} deleted, ${alreadyThere} deleted before, ${bad - invalid} never existed, ${invalid} bad`,
      }),
      explainUnfinished: (nextLine) =>
        `Not deleted to the end. ${isOfFile ? `Go on with: --from-line ${nextLine}` : 'Run it again.'}`,
      explainBad: (bad) =>
        `${countOf(bad, noun)} ${bad === 1 ? 'names' : 'name'} no plant and changed nothing. The plants of all others are deleted.`,
    },
    context,
  );
}
