import { type Client, listAll } from '@plant-store/client';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { recordColumnsOf, recordFormatsOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import type { PlantFilter } from '../route.js';
import { textNames } from '../shared/fields.js';
import { type SavedFile, saveFile } from '../shared/saved-file.js';

interface ExportOptions {
  readonly client: Pick<Client, 'listPlants'>;
  readonly filter: PlantFilter;
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  onProgress(count: number): void;
}

export interface Exported {
  readonly count: number;
  readonly file: SavedFile;
}

export type ExportFormat = 'xlsx' | 'csv' | 'ndjson';

/** Writes plants to a file. To save memory, `flush` compresses the written data or moves it to a `Blob`. */
interface FileWriter {
  write(plant: StoredPlant): void;
  flush(): void;
  end(): Blob;
}

/** The number of plants between two flushes. */
const flushInterval = 5_000;

/** Loads all matching plants, page by page, and saves them as a file. */
export function exportPlants({ client, filter, signal, ...options }: ExportOptions): Promise<Exported> {
  return savePlants({ plants: listAll(client, { ...filter, signal }), ...options });
}

interface SaveOptions extends Pick<ExportOptions, 'format' | 'onProgress'> {
  readonly plants: Iterable<StoredPlant> | AsyncIterable<StoredPlant>;
}

/** Saves plants as a file. */
export async function savePlants({ plants, format, onProgress }: SaveOptions): Promise<Exported> {
  const writer = format === 'xlsx' ? await createWorkbookWriter() : createTextWriter(format);
  let count = 0;
  for await (const plant of plants) {
    writer.write(plant);
    count++;
    if (count % flushInterval !== 0) continue;
    writer.flush();
    onProgress(count);
    // Yields, so that the page stays responsive if all plants are already loaded.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { count, file: saveFile(writer.end(), `plants.${format}`) };
}

function createTextWriter(format: 'csv' | 'ndjson'): FileWriter {
  const { head, write } = recordFormatsOf<Plant>(resources.plant)[format];
  const parts: Blob[] = [];
  let lines = [head];
  return {
    write: (plant) => lines.push(write(plant)),
    flush() {
      parts.push(new Blob(lines));
      lines = [];
    },
    end() {
      const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
      return new Blob([...parts, ...lines], { type: `${type};charset=utf-8` });
    },
  };
}

/** The widths of columns in a workbook, in characters. */
const nameWidth = 48;
const otherWidth = 24;

async function createWorkbookWriter(): Promise<FileWriter> {
  const { createWorkbook } = await import('./workbook-writer.js');
  const columns = recordColumnsOf(resources.plant);
  const widths = columns.map((name) => (name === 'name' ? nameWidth : otherWidth));
  const { writeRow, flush, end } = createWorkbook('Plants', widths);
  writeRow(columns);
  return {
    write: (plant) =>
      writeRow([`${plant.id}`, ...textNames.map((name) => plant[name] ?? ''), plant.addedAt ?? '']),
    flush,
    end,
  };
}
