import { jsonShapeOf, type NewPlant, NewPlantSchema } from '@plant-store/contract';
import { parseExactJson } from '@plant-store/contract/exact-json/parse';
import { resourceNameOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import { mapFields, type Texts } from '../../../shared/fields.js';
import { withoutEmpty } from '../../../shared/texts.js';
import { toVisible } from '../../../shared/to-visible.js';
import type { Fix } from '../../protocol.js';
import { readId } from './read-id.js';

/** What a record holds: a plant that the contract accepts, or why it is none. */
export type PlantRecord =
  | { readonly plant: NewPlant }
  | { readonly reason: string; readonly fix?: Fix | undefined };

/** Reads the plant of the texts of cells. An empty one counts as none, since cells cannot show the difference. */
export function readPlantTexts({ id: idText, ...texts }: Texts): PlantRecord {
  const id = readId(idText);
  const filled = withoutEmpty(texts);
  if ('id' in id) return validate({ id: id.id, ...filled });
  const others = validate({ id: 0n, ...filled });
  return { reason: 'reason' in others ? `${id.reason}; ${others.reason}` : id.reason, fix: id.fix };
}

/** Reads the plant of an NDJSON line, with the exact JSON of the service. */
export function readPlantJson(text: string): PlantRecord {
  try {
    const line = parseExactJson(text, shape);
    return findOtherResource(Object(line).resource) ?? validate(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `the line is not valid JSON: ${toVisible(error.message)}` };
  }
}

/** The fields of an NDJSON line that is no plant, as far as they can be read. */
export function readJsonTexts(text: string): Texts {
  let value: unknown;
  try {
    value = parseExactJson(text, shape);
  } catch {
    // Not even JSON: nothing can be read.
  }
  const members: Readonly<Record<string, unknown>> = Object(value);
  return mapFields((name) => {
    // The text has all digits where a program has rounded the id.
    const member = (name === 'id' ? members['idText'] : undefined) ?? members[name];
    return /^(string|number|bigint)$/.test(typeof member) ? String(member) : '';
  });
}

/** Why a line is no plant whose member or cell `resource` names another resource. */
export function findOtherResource(resource: unknown): { readonly reason: string } | undefined {
  const name = resourceNameOf({ resource });
  if (name === resources.plant.name) return undefined;
  return { reason: `the line is not a plant: its resource is ${toVisible(name ?? 'not a text', 100)}` };
}

const { members = [] } = jsonShapeOf(NewPlantSchema);
const shape = { members: [...members, { name: 'resource', shape: {} }] };

/** Checks a plant by the contract, with its messages. */
function validate(value: unknown): PlantRecord {
  const { data, error } = NewPlantSchema.safeParse(value);
  if (error === undefined) return { plant: data };
  return {
    reason: error.issues
      .map(({ path, message }) => `${path.length === 0 ? 'the line' : path.join('.')} ${message}`)
      .join('; '),
  };
}
