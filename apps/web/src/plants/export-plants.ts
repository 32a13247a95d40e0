import { type Client, listAll } from '@plant-store/client';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { recordFormatsOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import type { PlantFilter } from '../route.js';
import { type SavedFile, saveFile } from '../shared/save-file.js';

interface ExportOptions {
  readonly client: Pick<Client, 'listPlants'>;
  readonly filter: PlantFilter;
  readonly format: Format;
  readonly signal: AbortSignal;
  onProgress(count: number): void;
}

export interface Exported {
  readonly count: number;
  readonly file: SavedFile;
}

const types = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<keyof ReturnType<typeof recordFormatsOf>, string>;

type Format = keyof typeof types;

/** How many plants become one part of the file, which the browser need not keep in memory. */
const partSize = 5_000;

/** Loads all plants that match, page after page, and saves them as a file. */
export function exportPlants({ client, filter, signal, ...options }: ExportOptions): Promise<Exported> {
  return savePlants({ plants: listAll(client, { ...filter, signal }), ...options });
}

interface SaveOptions extends Pick<ExportOptions, 'format' | 'onProgress'> {
  readonly plants: Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
}

/** Saves plants as a file. */
export async function savePlants({ plants, format, onProgress }: SaveOptions): Promise<Exported> {
  const { head, write } = recordFormatsOf<Plant>(resources.plant)[format];
  const parts: Blob[] = [new Blob([head])];
  let lines: string[] = [];
  let count = 0;
  for await (const plant of plants) {
    lines.push(write(plant));
    count++;
    if (lines.length < partSize) continue;
    parts.push(new Blob(lines));
    lines = [];
    onProgress(count);
    // So that the page goes on where they are loaded already.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const file = new Blob([...parts, ...lines], { type: `${types[format]};charset=utf-8` });
  return { count, file: saveFile(file, `plants.${format}`) };
}
