import { type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { formatIssues } from '@plant-store/contract/format-issues';
import { parseJsonBytes } from '../parse-json-bytes.js';

/** What a line holds: a plant, or the reason why it holds none. */
export type PlantLine = { readonly plant: NewPlant } | { readonly fault: string };

/** Reads a line as the service reads the body of a create, and refuses what it refuses. */
export function readPlantLine(bytes: Buffer): PlantLine {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { fault: `The line is not valid JSON: ${error.message}.` };
  }
  const { data: plant, error } = NewPlantSchema.safeParse(value);
  return plant === undefined
    ? { fault: `The plant is not valid: ${formatIssues(error.issues)}.` }
    : { plant };
}

const whiteSpace = new Set(Buffer.from(' \t\r'));

/** Whether a line holds nothing but white space (RFC 8259, section 2). */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => whiteSpace.has(byte));
}
