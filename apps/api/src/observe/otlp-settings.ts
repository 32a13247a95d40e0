import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { shorten } from '@plant-store/contract/messages';
import * as z from 'zod';
import { wholeNumber } from '../auth/jwt-settings.js';
import { messageOf } from '../errors/operator-error.js';

/*
 * The variables of OpenTelemetry's specification ("SDK environment variables", "OTLP exporter"). They are often set for all programs on a
 * machine, so an unsupported value is ignored with a warning, and never prevents a start. An empty variable counts as not set.
 */

const signalSettings = [
  'ENDPOINT',
  'PROTOCOL',
  'HEADERS',
  'TIMEOUT',
  'COMPRESSION',
  'CERTIFICATE',
  'CLIENT_KEY',
  'CLIENT_CERTIFICATE',
] as const;

const usedNames = [
  ...signalSettings.flatMap((setting) => [
    `OTEL_EXPORTER_OTLP_${setting}` as const,
    `OTEL_EXPORTER_OTLP_TRACES_${setting}` as const,
    `OTEL_EXPORTER_OTLP_METRICS_${setting}` as const,
  ]),
  'OTEL_SDK_DISABLED',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_PROPAGATORS',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_EXPORT_TIMEOUT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT',
  'OTEL_ATTRIBUTE_COUNT_LIMIT',
  'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT',
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_METRIC_EXPORT_TIMEOUT',
] as const;

/**
 * Variables that have no effect: the value that needs no warning, because it matches what the service does anyway, and the warning
 * otherwise.
 */
const unusedNames = {
  OTEL_CONFIG_FILE: [undefined, 'The service reads only environment variables.'],
  OTEL_LOG_LEVEL: [undefined, 'The service uses LOG_LEVEL instead.'],
  OTEL_LOGS_EXPORTER: ['none', 'Logs are written only to standard output.'],
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: [undefined, 'Logs are written only to standard output.'],
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: ['cumulative', 'Metrics are cumulative.'],
  OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION: [
    'explicit_bucket_histogram',
    'Histograms have explicit buckets.',
  ],
  OTEL_METRICS_EXEMPLAR_FILTER: ['always_off', 'Metrics have no exemplars.'],
  OTEL_EXPORTER_PROMETHEUS_HOST: [undefined, 'The service uses ADMIN_HOST instead.'],
  OTEL_EXPORTER_PROMETHEUS_PORT: [undefined, 'The service uses ADMIN_PORT instead.'],
} as const;

type UsedName = (typeof usedNames)[number];
type UnusedName = keyof typeof unusedNames;
type Signal = 'TRACES' | 'METRICS';

const allNames = [...usedNames, ...(Object.keys(unusedNames) as UnusedName[])];

export const otlpVariables = Object.fromEntries(
  allNames.map((name) => [name, z.string().optional()]),
) as Record<UsedName | UnusedName, z.ZodOptional<z.ZodString>>;

type OtlpVariables = z.infer<z.ZodObject<typeof otlpVariables>>;

export interface SettingWarning {
  readonly variable: string;
  /** What is wrong, and what the service uses instead. Contains no secrets. */
  readonly reason: string;
}

const samplerKinds = ['always_on', 'always_off', 'traceidratio'] as const;
const samplers = [...samplerKinds, ...samplerKinds.map((kind) => `parentbased_${kind}` as const)];

/** Returns the schema of one of several values, in any letter case. */
const oneOf = <const Values extends readonly string[]>(values: Values, error: string) =>
  z.string().toLowerCase().pipe(z.enum(values, { error }));

const EndpointSchema = z.url({
  protocol: /^https?$/,
  error: 'must be an http or https URL, such as http://127.0.0.1:4318',
});
const BooleanSchema = oneOf(['true', 'false'], 'must be true or false').transform((text) => text === 'true');
const ProtocolSchema = oneOf(
  ['http/protobuf'],
  'must be http/protobuf, which collectors usually accept on port 4318',
);
const CompressionSchema = oneOf(['gzip', 'none'], 'must be gzip or none');
const SamplerSchema = oneOf(samplers, `must be one of ${samplers.join(', ')}`);
const ShareSchema = z
  .string()
  .refine((text) => Number(text) >= 0 && Number(text) <= 1, {
    error: 'must be a fraction from 0 to 1, such as 0.01',
  })
  .transform(Number);
const MillisecondsSchema = wholeNumber(1, 2 ** 31 - 1);
const CountSchema = wholeNumber(1, 10 ** 6);
const LimitSchema = wholeNumber(0, 2 ** 31 - 1);

/** Which traces and metrics are exported, and where. */
export type OtlpSettings = NonNullable<ReturnType<typeof toOtlpSettings>['otlp']>;
export type TraceSettings = NonNullable<OtlpSettings['traces']>;
export type MetricSettings = NonNullable<OtlpSettings['metrics']>;
export type ExportSettings = Pick<TraceSettings, 'url' | 'timeoutMs' | 'compression'>;

/**
 * Returns the settings (`otlp` is `undefined` if nothing is exported) and a warning for each variable that is ignored or adjusted.
 */
export function toOtlpSettings(variables: OtlpVariables) {
  const warnings = new Map<string, string>();
  const textOf = (name: UsedName | UnusedName) => variables[name]?.trim() || undefined;
  const warn = (name: string, reason: string) => void warnings.set(name, reason);
  const ignore = (name: string, value: string, message: string) =>
    warn(name, `${JSON.stringify(shorten(value))} is ignored: ${message}`);
  const toResult = <Otlp>(otlp: Otlp) => ({
    otlp,
    warnings: [...warnings].map(([variable, reason]): SettingWarning => ({ variable, reason })),
  });

  /** Returns the value of the first of these variables that is set and valid, or the default. */
  function read<Value>(names: readonly UsedName[], schema: z.ZodType<Value>, byDefault: Value): Value {
    const invalid = new Map<UsedName, string>();
    let found: { readonly value: Value } | undefined;
    for (const name of names) {
      const text = textOf(name);
      if (text === undefined || found !== undefined) continue;
      const { data, error } = schema.safeParse(text);
      if (error === undefined) found = { value: data };
      else invalid.set(name, error.issues.map(({ message }) => message).join(', '));
    }
    const value = found === undefined ? byDefault : found.value;
    for (const [name, message] of invalid)
      ignore(name, textOf(name) ?? '', `it ${message}. ${value ?? 'No limit'} is used.`);
    return value;
  }

  /** Returns the known items of a case-insensitive list; the default if there are none. */
  function readList(name: UsedName, known: readonly string[], byDefault: string): readonly string[] {
    const items = (textOf(name)?.toLowerCase().split(',') ?? [])
      .map((item) => item.trim())
      .filter((item) => item !== '');
    const unknown = items.filter((item) => !known.includes(item));
    const used = items.filter((item) => known.includes(item));
    const list = used.length === 0 ? [byDefault] : used;
    if (unknown.length > 0)
      ignore(name, unknown.join(','), `only ${known.join(', ')} are supported. ${list.join(',')} is used.`);
    return list;
  }

  const variablesOf = (signal: Signal, setting: (typeof signalSettings)[number]) =>
    [`OTEL_EXPORTER_OTLP_${signal}_${setting}`, `OTEL_EXPORTER_OTLP_${setting}`] as const;

  /** Returns the URL for a signal; `undefined` if the signal is not exported. The signal's variable overrides the common one. */
  function readUrl(signal: Signal): string | undefined {
    const names = variablesOf(signal, 'ENDPOINT').filter((name) => textOf(name) !== undefined);
    if (names.length === 0 || readList(`OTEL_${signal}_EXPORTER`, ['otlp', 'none'], 'otlp').includes('none'))
      return undefined;
    for (const name of names) {
      const { data: url, error } = EndpointSchema.safeParse(textOf(name));
      if (url !== undefined)
        return name === 'OTEL_EXPORTER_OTLP_ENDPOINT'
          ? `${url.replace(/\/$/, '')}/v1/${signal.toLowerCase()}`
          : url;
      // The value may contain a password.
      warn(name, `It is ignored: it ${error.issues[0]?.message}.`);
    }
    return undefined;
  }

  /** Whether the TLS files can be read. Otherwise, the libraries would fall back to other authorities. */
  function checkFiles(signal: Signal, url: string): boolean {
    if (!url.startsWith('https:')) return true;
    return (['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'] as const).every((setting) => {
      const name = variablesOf(signal, setting).find((each) => textOf(each) !== undefined);
      if (name === undefined) return true;
      try {
        readFileSync(variables[name] ?? '');
        return true;
      } catch (error) {
        warn(name, `The file cannot be read: ${messageOf(error)}. Exports that need it are disabled.`);
        return false;
      }
    });
  }

  /** Whether the libraries can send all headers. They drop entries that are not `key=value` pairs. */
  function checkHeaders(name: UsedName): boolean {
    const pairs = toPairs(textOf(name) ?? '');
    if (pairs === undefined) {
      warn(
        name,
        'Entries must be key=value pairs, with special characters encoded as %XX. Other entries are ignored.',
      );
      return true;
    }
    try {
      for (const [key, value] of pairs) {
        validateHeaderName(key);
        validateHeaderValue(key, value);
      }
      return true;
    } catch {
      warn(
        name,
        'A header name or value contains an invalid character. Exports that need these headers are disabled.',
      );
      return false;
    }
  }

  function readExport(signal: Signal) {
    const url = readUrl(signal);
    if (url === undefined || !checkFiles(signal, url)) return undefined;
    read(variablesOf(signal, 'PROTOCOL'), ProtocolSchema, 'http/protobuf');
    if (!variablesOf(signal, 'HEADERS').every(checkHeaders)) return undefined;
    return {
      url,
      /** The timeout of an export, including its retries, in milliseconds. */
      timeoutMs: read(variablesOf(signal, 'TIMEOUT'), MillisecondsSchema, 10_000),
      compression: read(variablesOf(signal, 'COMPRESSION'), CompressionSchema, 'none'),
    };
  }

  function readTraces() {
    const exported = readExport('TRACES');
    if (exported === undefined) return undefined;
    const propagators = readList('OTEL_PROPAGATORS', ['tracecontext', 'baggage', 'none'], 'tracecontext');
    const sampler = read(['OTEL_TRACES_SAMPLER'], SamplerSchema, 'parentbased_always_on');
    const isRatio = sampler.endsWith('traceidratio');
    return {
      ...exported,
      /** Whether spans join the caller's trace, if the caller sends one. */
      followsCallers: propagators.includes('tracecontext'),
      /** Whether the caller's sampling decision applies to its traces. */
      isParentBased: sampler.startsWith('parentbased_'),
      /** The share of other traces to record, from 0 to 1. */
      share: isRatio ? read(['OTEL_TRACES_SAMPLER_ARG'], ShareSchema, 1) : sampler.endsWith('on') ? 1 : 0,
      /** How long to collect spans before sending them, and the timeout for sending them, in milliseconds. */
      delayMs: read(['OTEL_BSP_SCHEDULE_DELAY'], MillisecondsSchema, 5_000),
      exportTimeoutMs: read(['OTEL_BSP_EXPORT_TIMEOUT'], MillisecondsSchema, 30_000),
      /** The maximum number of spans that wait to be sent (more are dropped), and of spans that are sent together. */
      queueSpans: read(['OTEL_BSP_MAX_QUEUE_SIZE'], CountSchema, 2_048),
      exportSpans: read(['OTEL_BSP_MAX_EXPORT_BATCH_SIZE'], CountSchema, 512),
      /** The maximum number of attributes per span, and the maximum length of an attribute's value. */
      attributes: read(['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'OTEL_ATTRIBUTE_COUNT_LIMIT'], LimitSchema, 128),
      attributeLength: read<number | undefined>(
        ['OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'],
        LimitSchema,
        undefined,
      ),
    };
  }

  function readMetrics() {
    const exported = readExport('METRICS');
    if (exported === undefined) return undefined;
    return {
      ...exported,
      intervalMs: read(['OTEL_METRIC_EXPORT_INTERVAL'], MillisecondsSchema, 60_000),
      exportTimeoutMs: read(['OTEL_METRIC_EXPORT_TIMEOUT'], MillisecondsSchema, 30_000),
    };
  }

  const isConfigured = (['TRACES', 'METRICS'] as const).some((signal) =>
    variablesOf(signal, 'ENDPOINT').some((name) => textOf(name) !== undefined),
  );
  if (!isConfigured || read(['OTEL_SDK_DISABLED'], BooleanSchema, false)) return toResult(undefined);
  const traces = readTraces();
  const metrics = readMetrics();
  if (traces === undefined && metrics === undefined) return toResult(undefined);
  if (!areResourceAttributes(textOf('OTEL_RESOURCE_ATTRIBUTES') ?? ''))
    warn(
      'OTEL_RESOURCE_ATTRIBUTES',
      'It is ignored: it must be a comma-separated list of key=value pairs, with special characters encoded as %XX, and keys and values of at most 255 characters.',
    );
  for (const [name, [usual, instead]] of Object.entries(unusedNames)) {
    const value = textOf(name as UnusedName);
    if (value !== undefined && value.toLowerCase() !== usual) warn(name, `It is ignored. ${instead}`);
  }
  return toResult(Object.freeze({ traces, metrics }));
}

/** Parses a list such as `a=1,b=2`, and decodes its pairs; `undefined` if an item is not a pair or cannot be decoded. */
function toPairs(list: string): [key: string, value: string][] | undefined {
  const items = list.split(',').filter((item) => item.trim() !== '');
  const pairs = items.map((item) => /^([^=]+)=(.*)$/s.exec(item)?.slice(1));
  try {
    return pairs.map((pair) => {
      const [key = '', value = ''] = pair?.map((text) => decodeURIComponent(text.trim())) ?? [];
      if (key === '') throw new Error('no key=value');
      return [key, value];
    });
  } catch {
    return undefined;
  }
}

/** Whether the list can be used. Otherwise, the libraries ignore the whole list. */
function areResourceAttributes(list: string): boolean {
  const isUnescaped = list.split(',').every((item) => item.split('=').length <= 2);
  const pairs = toPairs(list);
  return isUnescaped && pairs?.every((pair) => pair.every((text) => text.length <= 255)) === true;
}
