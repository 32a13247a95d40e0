import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { StoredPlant } from '../plants/plant-store.js';

/** A plant as a line of NDJSON, line feed included: `{"id":1,"name":"Fern","tag":"outdoor"}`, without a tag it has not. */
export function writePlantLine({ id, name, tag }: StoredPlant): string {
  return `${stringifyExactJson({ id, name, tag })}\n`;
}
