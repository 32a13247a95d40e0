import { parse } from '../load/send-create.js';
import { withoutTexts } from '../plant.js';
import { runCommand } from '../service/run-command.js';
import type { PlantRow } from './database.js';

/**
 * What `plant-store export` prints of a database.
 *
 * @throws {Error} with the output of the command if it fails
 */
export async function exportRows(databaseUrl: string): Promise<readonly PlantRow[]> {
  const { exitCode, stdout, stderr } = await runCommand(['export'], { DATABASE_URL: databaseUrl });
  if (exitCode !== 0) throw new Error(`plant-store export ended with status ${exitCode}: ${stderr}`);
  return stdout.split('\n').slice(0, -1).map(toRow);
}

/** A line has a plant, or `{"id":1,"deleted":true}`. */
function toRow(line: string): PlantRow {
  const row: PlantRow = { ...withoutTexts, deleted: false, ...(parse(line) as Pick<PlantRow, 'id'>) };
  if (row.id === undefined) throw new Error(`The export has a line without an id: ${line}`);
  return row;
}
