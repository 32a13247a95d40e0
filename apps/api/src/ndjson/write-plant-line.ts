import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { StoredPlant } from '../plants/plant-store.js';

/** A plant as a line of NDJSON with its line feed: `{"id":1,"name":"Fern","tag":"outdoor"}`, or without `tag`. */
export function writePlantLine({ id, name, tag }: StoredPlant): string {
  return `${stringifyExactJson({ id, name, tag })}\n`;
}
