/** An operation to generate. */
export interface Operation {
  /** In camel case, starting with a verb: `getPlant`. */
  readonly name: string;
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
  readonly scope: string;
  /** The name as that of a file: `get-plant`. */
  readonly file: string;
  /** The names of the parameters in the path. */
  readonly params: readonly string[];
  readonly hasBody: boolean;
  /** Of a success: 204 has no body, which is what a DELETE answers. */
  readonly success: 200 | 204;
}

/** What the code of an operation is given to work on, by what a token needs for it. */
export function dependencyOf(scope: string) {
  return scope === 'read'
    ? ({ dependency: 'store', type: 'PlantStore', methods: "'find' | 'list'" } as const)
    : ({ dependency: 'queue', type: 'PlantQueue', methods: "'create' | 'remove'" } as const);
}

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
    scope: match(answers, 'scope', /^(create|read|delete)$/),
    file: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    params: [...path.matchAll(/:(\w+)/g)].flatMap(([, param]) => param ?? []),
    hasBody: /^P/.test(method),
    success: method === 'DELETE' ? 204 : 200,
  };
}

function match(answers: Readonly<Record<string, unknown>>, question: string, pattern: RegExp): string {
  const answer = String(answers[question] ?? '');
  if (!pattern.test(answer)) throw new Error(`The ${question} "${answer}" does not match ${pattern}`);
  return answer;
}
