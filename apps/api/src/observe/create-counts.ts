import { Counter, type Histogram, type Registry } from '@prometheus-io/client';

/*
 * What each request counts is counted in plain numbers, which the library gets at each scrape only, since its own `inc` and
 * `observe` validate the labels and compose a key of them at each call; see decision 47.
 */

type LabelValue = string | number;

/** The counts below some values of the first labels; without further labels, one count. */
interface Branch {
  readonly children: Map<LabelValue, Branch>;
  count: number;
}

interface CounterOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Values of a single label that are at zero from the start: what appears later has no rate at first. */
  readonly initial?: readonly string[];
}

/** Creates a counter, and returns a function that counts one more for these values of its labels. */
export function createCounter(
  registry: Registry,
  { name, help, labelNames, initial = [] }: CounterOptions,
): (...values: readonly LabelValue[]) => void {
  const root: Branch = { children: new Map(), count: 0 };
  for (const value of initial) addBranch(root, value);
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, count] of listCounts(root, labelNames.length)) {
        this.inc(Object.fromEntries(labelNames.map((label, index) => [label, values[index]])), count);
      }
    },
  });
  return function count(...values) {
    let branch = root;
    for (const value of values) branch = branch.children.get(value) ?? addBranch(branch, value);
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

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** The upper bounds of its buckets, in ascending order. */
  readonly buckets: readonly number[];
  readonly labelName: string;
}

/** What was observed for one value of the label: how many values each bucket has by itself, the last one above all bounds. */
interface Series {
  readonly counts: number[];
  sum: number;
}

/** Creates a histogram, and returns a function that observes a value for one value of its label. */
export function createHistogram(
  registry: Registry,
  { name, help, buckets, labelName }: HistogramOptions,
): (label: string, value: number) => void {
  const allSeries = new Map<string, Series>();
  const description = { name, help, type: 'histogram', aggregator: 'sum' };
  const get = () => ({ ...description, values: Array.from(allSeries, describeSeries).flat() });
  // Of a metric, a registry uses these alone; aggregated ones of the library have no more. The type asks for a class.
  registry.registerMetric({ ...description, get } as unknown as Histogram);

  /** The samples of a series: each bucket includes those below it. */
  function describeSeries([label, { counts, sum }]: [string, Series]): object[] {
    let count = 0;
    const labels = { [labelName]: label };
    const samples = counts.map((own, index) => {
      count += own;
      return {
        metricName: `${name}_bucket`,
        labels: { le: buckets[index] ?? '+Inf', ...labels },
        value: count,
      };
    });
    return [
      ...samples,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }

  return function observe(label, value) {
    let series = allSeries.get(label);
    if (series === undefined) {
      series = { counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
      allSeries.set(label, series);
    }
    let bucket = 0;
    while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  };
}
