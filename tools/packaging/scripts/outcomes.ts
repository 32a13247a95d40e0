/** What a program prints of each operation: the id of what was stored, listed, returned or deleted, or what the client threw. */
export type Report = Readonly<Record<Operation, { readonly id?: string; readonly thrown?: string }>>;

type Operation = 'create' | 'list' | 'get' | 'delete';

/** The id that the programs mean. */
const meant = '9007199254740993';

const verbs = { create: 'stores', list: 'lists', get: 'returns', delete: 'deletes' } as const;

/**
 * Describes what became of the plant in operations, each outcome once.
 *
 * @param failed the operations that do not compile
 * @throws {Error} for one that did nothing, without an error
 */
export function describeOutcomes(
  operations: readonly Operation[],
  report: Report,
  failed: ReadonlySet<string> = new Set(),
): string {
  const outcomes = operations.map((operation) => {
    const { id, thrown } = report[operation];
    if (failed.has(operation)) return 'does not compile';
    if (thrown !== undefined) return `**${operation} fails: ${thrown}**`;
    if (id === undefined) throw new Error(`${operation} did nothing: ${JSON.stringify(report)}`);
    return id === meant ? 'exact' : `**${verbs[operation]} ${id}**`;
  });
  return [...new Set(outcomes)].join(', ');
}

/**
 * The operations of each program that do not compile, from what the compiler prints.
 *
 * @throws {Error} with that if it rejects anything but an operation with `plant.id`
 */
export function findFailedOperations(printed: string, read: (file: string) => string) {
  const failed = new Map<string, Set<string>>();
  for (const error of printed.split('\n').filter((line) => /^\S/.test(line))) {
    const [, program, line] = /^([\w-]+)\.ts\((\d+),\d+\): error TS/.exec(error) ?? [];
    if (program === undefined) throw new Error(printed);
    const lines = read(`${program}.ts`).split('\n').slice(0, Number(line));
    const begin = lines.findLast((text) => /^ {2}\w+: /.test(text));
    if (begin === undefined || !lines.at(-1)?.includes('plant.id')) throw new Error(printed);
    failed.set(program, (failed.get(program) ?? new Set()).add(begin.trim().split(':')[0] ?? ''));
  }
  return failed;
}
