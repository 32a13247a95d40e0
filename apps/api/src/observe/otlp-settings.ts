import * as z from 'zod';
import { wholeNumber } from '../auth/jwt-settings.js';

/*
 * The standard variables of OpenTelemetry that the service reads itself. Its libraries read others where they need them, such as
 * OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES.
 */

const text = z.string().optional();

/** Often set for all programs of a machine, they are checked only where something is exported. */
export const otlpVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_PROTOCOL: text,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: text,
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: text,
  OTEL_SDK_DISABLED: text,
  OTEL_TRACES_EXPORTER: text,
  OTEL_METRICS_EXPORTER: text,
  OTEL_TRACES_SAMPLER: text,
  OTEL_TRACES_SAMPLER_ARG: text,
  OTEL_BSP_SCHEDULE_DELAY: text,
  OTEL_BSP_MAX_QUEUE_SIZE: text,
  OTEL_METRIC_EXPORT_INTERVAL: text,
};

type OtlpVariables = z.infer<z.ZodObject<typeof otlpVariables>>;
type Signal = 'TRACES' | 'METRICS';

const samplerKinds = ['always_on', 'always_off', 'traceidratio'] as const;
const samplers = [...samplerKinds, ...samplerKinds.map((kind) => `parentbased_${kind}` as const)];

const EndpointSchema = z.url({
  protocol: /^https?$/,
  error: 'must be an http or https URL, such as http://127.0.0.1:4318',
});
const ProtocolSchema = z.literal('http/protobuf', {
  error: 'must be http/protobuf, which collectors take on port 4318: the service speaks no other',
});
const ExporterSchema = z.enum(['otlp', 'none'], { error: 'must be otlp or none' });
const SamplerSchema = z.enum(samplers, { error: `must be one of ${samplers.join(', ')}` });
const ShareSchema = z
  .string()
  .refine((share) => /^(\d{1,9}|\d?\.\d{1,9})$/.test(share) && Number(share) <= 1, {
    error: 'must be a share from 0 to 1, such as 0.01',
  })
  .transform(Number);

/** Which traces and metrics are exported, and where to. */
export type OtlpSettings = NonNullable<ReturnType<typeof toOtlpSettings>>;
export type TraceSettings = NonNullable<OtlpSettings['traces']>;
export type MetricSettings = NonNullable<OtlpSettings['metrics']>;

/** Checks the variables of what is exported. */
export function checkOtlpVariables(variables: OtlpVariables, context: z.RefinementCtx): void {
  // Both signals may have one of the same variable.
  const issues = new Map<keyof OtlpVariables, string>();
  toOtlpSettings(variables, (name, message) => issues.set(name, message));
  for (const [name, message] of issues) context.addIssue({ code: 'custom', path: [name], message });
}

/** The settings of checked variables; `undefined` where nothing is exported. */
export function toOtlpSettings(
  variables: OtlpVariables,
  report?: (name: keyof OtlpVariables, message: string) => unknown,
) {
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;

  const isSet = (name: keyof OtlpVariables) => variables[name] !== undefined;

  /** The value of a variable, or the default; a value that is not valid is reported. */
  function read<Value>(name: keyof OtlpVariables, schema: z.ZodType<Value>, byDefault: Value): Value {
    if (!isSet(name)) return byDefault;
    const { data = byDefault, error } = schema.safeParse(variables[name]);
    for (const { message } of error?.issues ?? []) report?.(name, message);
    return data;
  }

  /** Where a signal is sent to; `undefined` if it is not. A variable of its own comes before that of both signals. */
  function readUrl(signal: Signal): string | undefined {
    const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT` as const;
    if (!isSet(own) && !isSet('OTEL_EXPORTER_OTLP_ENDPOINT')) return undefined;
    if (read(`OTEL_${signal}_EXPORTER`, ExporterSchema, 'otlp') === 'none') return undefined;
    const protocol = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL` as const;
    read(isSet(protocol) ? protocol : 'OTEL_EXPORTER_OTLP_PROTOCOL', ProtocolSchema, 'http/protobuf');
    if (isSet(own)) return read(own, EndpointSchema, '');
    const url = read('OTEL_EXPORTER_OTLP_ENDPOINT', EndpointSchema, '');
    return `${url.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`;
  }

  function readTraces(url: string) {
    const sampler = read('OTEL_TRACES_SAMPLER', SamplerSchema, 'parentbased_always_on');
    const isRatio = sampler.endsWith('traceidratio');
    return {
      url,
      /** Whether a trace that the caller has begun is recorded as the caller says. */
      isParentBased: sampler.startsWith('parentbased_'),
      /** The share of the other traces that are recorded, from 0 to 1. */
      share: isRatio ? read('OTEL_TRACES_SAMPLER_ARG', ShareSchema, 1) : sampler.endsWith('on') ? 1 : 0,
      /** How long spans are collected before they are sent, in milliseconds. */
      delayMs: read('OTEL_BSP_SCHEDULE_DELAY', wholeNumber(1, 10 ** 7), 5_000),
      /** How many spans wait to be sent; more are dropped. */
      queueSpans: read('OTEL_BSP_MAX_QUEUE_SIZE', wholeNumber(1, 10 ** 6), 2_048),
    };
  }

  const tracesUrl = readUrl('TRACES');
  const metricsUrl = readUrl('METRICS');
  const metrics = metricsUrl !== undefined && {
    url: metricsUrl,
    intervalMs: read('OTEL_METRIC_EXPORT_INTERVAL', wholeNumber(1, 10 ** 9), 60_000),
  };
  if (tracesUrl === undefined && !metrics) return undefined;
  return Object.freeze({
    traces: tracesUrl === undefined ? undefined : readTraces(tracesUrl),
    metrics: metrics || undefined,
  });
}
