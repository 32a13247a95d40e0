import { type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { explainInvalidRequest } from '@plant-store/contract/messages';
import { parseJsonBytes } from '../parse-json-bytes.js';

/** The content of a line: a plant, or the reason why it is not a valid one. */
export type PlantLine = { readonly plant: NewPlant } | { readonly reason: string };

/** Parses a line exactly as the service parses the body of a create. */
export function readPlantLine(bytes: Buffer): PlantLine {
  let value: unknown;
  try {
    value = parseJsonBytes(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `The line is not valid JSON: ${error.message}.` };
  }
  const { data: plant, error } = NewPlantSchema.safeParse(value);
  return plant === undefined ? { reason: explainInvalidRequest({ body: error.issues }).message } : { plant };
}

const whiteSpace = new Set(Buffer.from(' \t\r'));

/** Whether a line holds nothing but white space (RFC 8259, section 2). */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => whiteSpace.has(byte));
}
