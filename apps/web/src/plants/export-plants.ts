import { createClient } from '@plant-store/client';
import { listAll } from '@plant-store/client/list';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { StoredPlant } from '@plant-store/contract/operations';
import Papa from 'papaparse';
import type { PlantFilter } from '../route.js';
import { saveFile } from '../shared/save-file.js';

interface ExportOptions {
  readonly token: string;
  readonly filter: PlantFilter;
  readonly format: 'csv' | 'ndjson';
  readonly signal: AbortSignal;
  onProgress(count: number): void;
}

/** The formats of `plant-store export`, which `import` reads. */
const formats = {
  csv: {
    type: 'text/csv',
    head: 'id,name,tag,addedAt\r\n',
    write: ({ id, name, tag = '', addedAt = '' }: StoredPlant) =>
      `${Papa.unparse([[`${id}`, name, tag, addedAt]])}\r\n`,
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    write: ({ id, name, tag, addedAt }: StoredPlant) =>
      `${stringifyExactJson({ id, name, tag, addedAt: addedAt ?? null })}\n`,
  },
} as const;

/** How many plants become one part of the file, which the browser need not keep in memory. */
const partSize = 5_000;

/**
 * Loads all plants that match, page after page, and saves them as a file.
 *
 * @returns how many they are
 */
export async function exportPlants({
  token,
  filter,
  format,
  signal,
  onProgress,
}: ExportOptions): Promise<number> {
  const { type, head, write } = formats[format];
  const client = createClient({ baseUrl: location.origin, token });
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
  saveFile(new Blob([...parts, ...lines], { type: `${type};charset=utf-8` }), `plants.${format}`);
  return count;
}
