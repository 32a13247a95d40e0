/** An operation to generate. */
export interface Operation {
  /** In camel case, starting with a verb: `getPlant`. */
  readonly name: string;
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
  readonly access: 'read' | 'write';
  /** The name as that of a file: `get-plant`. */
  readonly file: string;
  /** The names of the parameters in the path. */
  readonly params: readonly string[];
  readonly hasBody: boolean;
}

/** What the code of an operation is given to work on, by the access of the operation. */
export const accessed = {
  read: { dependency: 'store', type: 'PlantReader' },
  write: { dependency: 'plants', type: 'PlantWriter' },
} as const;

/**
 * Reads the answers to the prompts.
 *
 * @throws {Error} when one of them is not valid
 */
export function parseOperation(answers: Readonly<Record<string, unknown>>): Operation {
  const name = match(answers, 'name', /^[a-z]+([A-Z][a-z]*)+$/);
  const method = match(answers, 'method', /^(GET|POST|PUT|PATCH|DELETE)$/);
  const path = match(answers, 'path', /^(\/(:[a-z]\w*|[\w.~-]+))+$/);
  return {
    name,
    method,
    path,
    access: match(answers, 'access', /^(read|write)$/) === 'read' ? 'read' : 'write',
    file: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    params: [...path.matchAll(/:(\w+)/g)].flatMap(([, param]) => param ?? []),
    hasBody: /^P/.test(method),
  };
}

function match(answers: Readonly<Record<string, unknown>>, question: string, pattern: RegExp): string {
  const answer = String(answers[question] ?? '');
  if (!pattern.test(answer)) throw new Error(`The ${question} "${answer}" does not match ${pattern}`);
  return answer;
}
