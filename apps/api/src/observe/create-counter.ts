import { Counter, type Registry } from 'prom-client';

type LabelValue = string | number;

/** The counts below some values of the first labels; without further labels, one count. */
interface Branch {
  readonly children: Map<LabelValue, Branch>;
  count: number;
}

/** A counter: its name and help, and the names of its labels. */
export interface CounterOptions<Labels extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly labels: Labels;
}

/** Counts one more for these values of the labels. */
export type Count<Labels extends readonly string[]> = (
  ...values: { readonly [Index in keyof Labels]: LabelValue }
) => void;

/**
 * Creates a counter that prom-client gets at each scrape only, since its own `inc` validates the labels and composes a key
 * of them at each call; see decision 22.
 *
 * @param initial values of a single label that are at zero from the start: what appears later has no rate at first
 */
export function createCounter<const Labels extends readonly string[]>(
  registry: Registry,
  { name, help, labels }: CounterOptions<Labels>,
  initial: readonly LabelValue[] = [],
): Count<Labels> {
  const root: Branch = { children: new Map(), count: 0 };
  for (const value of initial) addBranch(root, value);
  new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, count] of listCounts(root, labels.length)) {
        this.inc(Object.fromEntries(labels.map((label, index) => [label, values[index]])), count);
      }
    },
  });
  return (...values) => {
    let branch = root;
    for (const value of values) {
      branch = branch.children.get(value) ?? addBranch(branch, value);
    }
    branch.count++;
  };
}

function addBranch({ children }: Branch, value: LabelValue): Branch {
  const branch: Branch = { children: new Map(), count: 0 };
  children.set(value, branch);
  return branch;
}

/** Lists the counts `depth` levels below a branch, each with the values that lead to it. */
function listCounts({ children, count }: Branch, depth: number): [values: LabelValue[], count: number][] {
  if (depth === 0) return [[[], count]];
  return [...children].flatMap(([value, child]) =>
    listCounts(child, depth - 1).map(([values, below]): [LabelValue[], number] => [
      [value, ...values],
      below,
    ]),
  );
}
