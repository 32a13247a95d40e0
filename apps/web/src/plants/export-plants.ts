import type { Client } from '@plant-store/client';
import { listAll } from '@plant-store/client/list';
import { recordFormats } from '@plant-store/contract/record-format';
import type { PlantFilter } from '../route.js';
import { type SavedFile, saveFile } from '../shared/save-file.js';

interface ExportOptions {
  readonly client: Pick<Client, 'listPlants'>;
  readonly filter: PlantFilter;
  readonly format: keyof typeof types;
  readonly signal: AbortSignal;
  onProgress(count: number): void;
}

interface Exported {
  readonly count: number;
  readonly file: SavedFile;
}

const types = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const satisfies Record<keyof typeof recordFormats, string>;

/** How many plants become one part of the file, which the browser need not keep in memory. */
const partSize = 5_000;

/** Loads all plants that match, page after page, and saves them as a file. */
export async function exportPlants({
  client,
  filter,
  format,
  signal,
  onProgress,
}: ExportOptions): Promise<Exported> {
  const { head, write } = recordFormats[format];
  const parts: Blob[] = [new Blob([head])];
  let lines: string[] = [];
  let count = 0;
  for await (const plant of listAll(client, { ...filter, signal })) {
    lines.push(write(plant));
    count++;
    if (lines.length < partSize) continue;
    parts.push(new Blob(lines));
    lines = [];
    onProgress(count);
  }
  const file = new Blob([...parts, ...lines], { type: `${types[format]};charset=utf-8` });
  return { count, file: saveFile(file, `plants.${format}`) };
}
