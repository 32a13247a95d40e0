import type { Histogram, Registry } from 'prom-client';

/** A histogram: its name and help, the upper bounds of its buckets in ascending order, and the name of its label, if any. */
export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly buckets: readonly number[];
  readonly label?: string;
}

/** What was observed for one value of the label. */
interface Series {
  /** How many values each bucket has by itself; the last one is above all bounds. */
  readonly counts: number[];
  sum: number;
}

/**
 * Creates a histogram, and returns a function that observes a value, with that of the label if there is one. prom-client
 * gets it at each scrape only; see decision 22.
 */
export function createHistogram(
  registry: Registry,
  { name, help, buckets, label }: HistogramOptions,
): (value: number, labelValue?: string) => void {
  const allSeries = new Map<string, Series>();
  const addSeries = (labelValue: string): Series => {
    const series = { counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
    allSeries.set(labelValue, series);
    return series;
  };
  if (label === undefined) addSeries('');

  const metric = {
    name,
    help,
    type: 'histogram',
    get: () => ({
      name,
      help,
      type: 'histogram',
      values: [...allSeries].flatMap(([labelValue, series]) =>
        describeSeries(name, buckets, series, label === undefined ? {} : { [label]: labelValue }),
      ),
    }),
  };
  // Of a metric, a registry uses these alone; prom-client's own aggregated ones have no more. The type asks for a class.
  registry.registerMetric(metric as unknown as Histogram);

  return function observe(value, labelValue = '') {
    const series = allSeries.get(labelValue) ?? addSeries(labelValue);
    let bucket = 0;
    while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  };
}

/** The samples of a series: each bucket includes those below it. */
function describeSeries(
  name: string,
  buckets: readonly number[],
  { counts, sum }: Series,
  labels: Readonly<Record<string, string>>,
): object[] {
  let count = 0;
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
