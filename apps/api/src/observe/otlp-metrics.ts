import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricValue, MetricValueWithName } from '@prometheus-io/client';
import type { MetricValues } from './metrics.js';
import type { ExportSettings, MetricSettings } from './otlp-settings.js';

type ExporterOptions = Required<NonNullable<ConstructorParameters<typeof OTLPMetricExporter>[0]>>;

/** The options of an exporter, which reads headers and certificates from the environment itself. */
export function exporterOptions({ url, timeoutMs, compression }: ExportSettings) {
  // The enum is that of a package that only the libraries import.
  return { url, timeoutMillis: timeoutMs, compression: compression as ExporterOptions['compression'] };
}

/** Starts to export metrics at an interval; returns a function that exports them once more, and stops. */
export function startMetrics(
  settings: MetricSettings,
  resource: Resource,
  read: () => Promise<MetricValues>,
): () => Promise<void> {
  const startTime = hrTime();
  async function collect() {
    const scopeMetrics = [{ scope: { name: 'plant-store' }, metrics: toMetricData(await read(), startTime) }];
    return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
  }
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(exporterOptions(settings)),
    exportIntervalMillis: settings.intervalMs,
    exportTimeoutMillis: Math.min(settings.exportTimeoutMs, settings.intervalMs),
    metricProducers: [{ collect }],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

/**
 * The metrics of a registry as OpenTelemetry has them, with the same names, labels and values; a summary has no counterpart.
 *
 * @param startTime when counting began
 */
function toMetricData(metrics: MetricValues, startTime: HrTime): MetricData[] {
  const endTime = hrTime();
  /** A point at this time. Labels are texts in Prometheus. */
  const toPoint = <Value>(labels: MetricValue<string>['labels'], value: Value): DataPoint<Value> => ({
    ...{ startTime, endTime, value },
    attributes: Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, String(label)])),
  });
  return metrics.flatMap(({ name, help, type, values }): MetricData[] => {
    const base = {
      descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const points = () => values.map(({ labels, value }) => toPoint(labels, value));
    if (type === 'gauge') return [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
    if (type === 'counter')
      return [{ ...base, dataPointType: DataPointType.SUM, dataPoints: points(), isMonotonic: true }];
    if (type !== 'histogram') return [];
    const dataPoints = toHistograms(name, values).map(([labels, histogram]) => toPoint(labels, histogram));
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  });
}

/** A histogram, and its labels. */
type Labelled = [labels: MetricValue<string>['labels'], histogram: Histogram];

/** The histograms of a metric, with the labels of each. In Prometheus a bucket includes those below it, of which there is one at least. */
function toHistograms(name: string, values: readonly MetricValueWithName<string>[]): Labelled[] {
  const found = new Map<string, Labelled>();
  for (const {
    metricName,
    labels: { le, ...labels },
    value,
  } of values) {
    const key = JSON.stringify(labels);
    const [, histogram] = found.get(key) ?? [labels, { buckets: { boundaries: [], counts: [] }, count: 0 }];
    found.set(key, [labels, histogram]);
    const { boundaries, counts } = histogram.buckets;
    if (metricName === `${name}_sum`) histogram.sum = value;
    else if (metricName === `${name}_count`) histogram.count = value;
    else {
      counts.push(value - counts.reduce((sum, count) => sum + count, 0));
      if (le !== '+Inf') boundaries.push(Number(le));
    }
  }
  return [...found.values()];
}
