import {
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  ValueType,
} from '@opentelemetry/api';
import { hrTime, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { MetricValue, MetricValueWithName } from '@prometheus-io/client';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { hideAccessTokens } from '../auth/token-service.js';
import { messageOf } from '../errors/operator-error.js';
import { readPackage } from '../package-folder.js';
import { withTimeout } from '../runtime/timing.js';
import { routeOf } from './measure-requests.js';
import type { MetricValues } from './metrics.js';
import type { ExportSettings, MetricSettings, OtlpSettings, TraceSettings } from './otlp-settings.js';

export type Telemetry = ReturnType<typeof startTelemetry>;

export type RequestTraces = ReturnType<typeof startTraces>['requests'];

/** How long a stop waits for a collector that does not respond, in milliseconds. */
const stopMs = 2_000;

/** How often an export problem is logged at most, in milliseconds. While a collector is unavailable, each attempt fails. */
const reportIntervalMs = 60_000;

/**
 * Starts exporting telemetry with the OpenTelemetry libraries, which retry for a while, and then drop the data. Only `stop` waits for them.
 */
export function startTelemetry(
  settings: OtlpSettings,
  {
    log,
    readMetrics,
  }: { readonly log: Logger; readonly readMetrics?: (() => Promise<MetricValues>) | undefined },
) {
  const resource = describeService();
  const traces = settings.traces && startTraces(settings.traces, resource);
  const stopMetrics =
    settings.metrics && readMetrics && startMetrics(settings.metrics, resource, readMetrics);
  // Called only now, because the log already contains the libraries' messages about variables.
  const report = reportProblems(log);
  return {
    requests: traces?.requests,
    /** Sends the remaining data. Waits at most the given time in milliseconds, and at most 2 seconds. */
    async stop(withinMs: number): Promise<void> {
      const stopped = Promise.all([traces?.stop(), stopMetrics?.()]);
      await withTimeout(stopped, Math.min(withinMs, stopMs), () => undefined).catch(report);
    },
  };
}

/** Logs the libraries' problems, and returns a function that logs others. */
function reportProblems(log: Logger): (problem: unknown) => void {
  let nextAt = 0;
  function report(problem: unknown): void {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + reportIntervalMs;
    log.warn({ reason: messageOf(problem) }, 'telemetry was not exported');
  }
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  setGlobalErrorHandler(report);
  return report;
}

/** Returns the resource that describes this service. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME override these values. */
function describeService(): Resource {
  const { version } = readPackage();
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'plant-store', 'service.version': version }))
    .merge(detectResources({ detectors }));
}

const propagator = new W3CTraceContextPropagator();

/** The methods that appear in telemetry; others appear as `_OTHER` (HTTP semantic conventions, `http.request.method`). */
const knownMethods = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '));

function startTraces(settings: TraceSettings, resource: Resource) {
  const { queueSpans, attributes, attributeLength } = settings;
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(settings),
    spanLimits: {
      attributeCountLimit: attributes,
      ...(attributeLength !== undefined && { attributeValueLengthLimit: attributeLength }),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(exporterOptions(settings)),
        scheduledDelayMillis: settings.delayMs,
        exportTimeoutMillis: settings.exportTimeoutMs,
        maxQueueSize: queueSpans,
        maxExportBatchSize: Math.min(settings.exportSpans, queueSpans),
      }),
    ],
  });
  const tracer = provider.getTracer('plant-store');
  return {
    requests: {
      /**
       * Records the span of a request that has ended, and returns the span's IDs. A caller with an accepted token chooses the trace and
       * whether the trace is recorded. For other callers, there is always a new trace (W3C Trace Context, section 7.2).
       *
       * @param startedAt when the request began, as `performance.now()` returned it
       * @param endedAt when the request ended, in the same format
       */
      record(request: Request, response: Response, startedAt: number, endedAt: number): SpanContext {
        const { accessToken, subject } = response.locals;
        const isAuthenticated = accessToken !== undefined || subject !== undefined;
        const parent =
          isAuthenticated && settings.followsCallers
            ? propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
            : ROOT_CONTEXT;
        const options = { kind: SpanKind.SERVER, startTime: startedAt };
        const span = tracer.startSpan(request.method, options, parent);
        if (span.isRecording()) describeRequest(span, request, response);
        span.end(endedAt);
        return span.spanContext();
      },
    },
    stop: () => provider.shutdown(),
  };
}

function createSampler({ isParentBased, share }: Pick<TraceSettings, 'isParentBased' | 'share'>): Sampler {
  const root =
    share === 1
      ? new AlwaysOnSampler()
      : share === 0
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(share);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** Sets a span's name and attributes as in the stable HTTP semantic conventions, without the query, other headers, or a body. */
function describeRequest(span: Span, request: Request, response: Response): void {
  const { method, path, protocol, hostname = '', host = '', httpVersion } = request;
  const route = response.locals.route ?? routeOf(request);
  const isKnown = knownMethods.has(method);
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  span.updateName([isKnown ? method : 'HTTP', route ?? []].flat().join(' '));
  span.setAttributes({
    'http.request.method': isKnown ? method : '_OTHER',
    ...(!isKnown && { 'http.request.method_original': method }),
    'url.scheme': protocol,
    'url.path': hideAccessTokens(path),
    'server.address': hideAccessTokens(hostname),
    ...(port !== undefined && { 'server.port': Number(port) }),
    'network.protocol.version': httpVersion,
    ...(route !== undefined && { 'http.route': route }),
  });
  // The client disconnected before the end of the reply.
  if (!response.writableFinished) return;
  const { statusCode, locals } = response;
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode < 500) return;
  span.setAttribute('error.type', locals.error?.errorName ?? String(statusCode));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

type ExporterOptions = Required<NonNullable<ConstructorParameters<typeof OTLPMetricExporter>[0]>>;

/** Returns an exporter's options. The exporter itself reads headers and certificates from the environment. */
export function exporterOptions({ url, timeoutMs, compression }: ExportSettings) {
  // The enum belongs to a package that only the libraries import.
  return { url, timeoutMillis: timeoutMs, compression: compression as ExporterOptions['compression'] };
}

/** Starts exporting metrics at an interval. Returns a function that exports them once more, and stops. */
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
 * Converts a registry's metrics to OpenTelemetry's format, with the same names, labels, and values. Summaries have no counterpart, and are
 * omitted.
 */
function toMetricData(metrics: MetricValues, startTime: HrTime): MetricData[] {
  const endTime = hrTime();
  /** Returns a data point at this time. Its labels are strings, as in Prometheus. */
  const toPoint = <Value>(labels: MetricValue<string>['labels'], value: Value): DataPoint<Value> => ({
    startTime,
    endTime,
    value,
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

type LabeledHistogram = [labels: MetricValue<string>['labels'], histogram: Histogram];

/** Returns a metric's histograms with their labels. In Prometheus, a bucket's count includes the counts of all lower buckets. */
function toHistograms(name: string, values: readonly MetricValueWithName<string>[]): LabeledHistogram[] {
  const found = new Map<string, LabeledHistogram>();
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
