import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadSync } from 'protobufjs';
import { listen } from '../listen.js';

/** A span as it was received, with its ids in hexadecimal. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly durationMs: number;
  readonly status: string | undefined;
  readonly attributes: Record<string, unknown>;
  readonly resource: Record<string, unknown>;
}

/** A value of a metric: `asDouble` of a counter or gauge, the others of a histogram. */
interface Point {
  readonly startTimeUnixNano: number;
  readonly timeUnixNano: number;
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

/** A metric as it was received. */
export interface ReceivedMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly isMonotonic: boolean | undefined;
  readonly aggregationTemporality: string | undefined;
  readonly points: readonly (Point & { readonly labels: Record<string, unknown> })[];
  readonly resource: Record<string, unknown>;
}

/** What is read of a body, as `otlp.proto` has it. */
interface Attributed {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}
type Scoped<Key extends string, Member extends string, Item> = Readonly<
  Record<
    Key,
    readonly ({ readonly resource: Attributed } & Readonly<
      Record<`scope${Capitalize<Member>}`, readonly Readonly<Record<Member, readonly Item[]>>[]>
    >)[]
  >
>;
interface DecodedSpan extends Attributed, Pick<ReceivedSpan, 'name' | 'kind'> {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly startTimeUnixNano: number;
  readonly endTimeUnixNano: number;
  readonly status?: { readonly code?: string };
}
type DecodedMetric = { readonly name: string; readonly description: string } & {
  readonly [Kind in ReceivedMetric['kind']]?: {
    readonly dataPoints: readonly (Attributed & Point)[];
    readonly isMonotonic?: boolean;
    readonly aggregationTemporality?: string;
  };
};

const root = loadSync(fileURLToPath(new URL('otlp.proto', import.meta.url)));

/** Decodes a body of a type of `otlp.proto`. */
function decode(type: 'TracesData' | 'MetricsData', body: Buffer): unknown {
  const Type = root.lookupType(type);
  return Type.toObject(Type.decode(body), { longs: Number, enums: String, arrays: true });
}

/**
 * Starts a collector of telemetry until the end of the test, which keeps what it receives.
 *
 * @param answer answers a request whose body was read; by default with 200
 */
export async function startCollector(answer: RequestListener = (_, response) => void response.end()) {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const sent = await buffer(request);
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests.push({ path, headers });
    if (path.endsWith('/traces')) spans.push(...readSpans(body));
    else metrics.push(...readMetrics(body));
    answer(request, response);
  });
  return {
    url: await listen(server),
    /** What was received so far. */
    spans,
    metrics,
    requests,
    /** The latest of a metric. */
    latest: (name: string) => metrics.findLast((metric) => metric.name === name),
  };
}

function readSpans(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = decode('TracesData', body) as Scoped<'resourceSpans', 'spans', DecodedSpan>;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, status, ...span }) => ({
        traceId: toHex(traceId),
        spanId: toHex(spanId),
        parentSpanId: toHex(parentSpanId),
        name,
        kind,
        status: status?.code,
        durationMs: (span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
        attributes: toRecord(span),
        resource: toRecord(resource),
      })),
    ),
  );
}

function readMetrics(body: Buffer): ReceivedMetric[] {
  const { resourceMetrics } = decode('MetricsData', body) as Scoped<
    'resourceMetrics',
    'metrics',
    DecodedMetric
  >;
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map((metric) => {
        const kind = (['gauge', 'sum', 'histogram'] as const).find((name) => name in metric);
        if (kind === undefined) throw new Error(`The metric ${metric.name} is of another kind`);
        const { dataPoints = [], isMonotonic, aggregationTemporality } = metric[kind] ?? {};
        return {
          name: metric.name,
          help: metric.description,
          kind,
          isMonotonic,
          aggregationTemporality,
          points: dataPoints.map(({ attributes, ...own }) => ({ labels: toRecord({ attributes }), ...own })),
          resource: toRecord(resource),
        };
      }),
    ),
  );
}

function toHex(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString('hex');
}

function toRecord({ attributes }: Attributed): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
