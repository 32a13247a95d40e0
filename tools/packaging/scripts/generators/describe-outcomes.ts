/** What a program prints of each operation: the id of what was stored, listed, returned or deleted, or what the client threw. */
export type Report = Readonly<Record<Operation, { readonly id?: string; readonly thrown?: string }>>;

export type Operation = 'create' | 'list' | 'get' | 'delete';

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
