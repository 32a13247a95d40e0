import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const parse = (environment: Readonly<Record<string, string>>) => parseConfig(environment, '/').otlp;
const traces = {
  url: 'http://collector:4318/v1/traces',
  ...{ isParentBased: true, share: 1, delayMs: 5_000, queueSpans: 2_048 },
};
const metrics = { url: 'http://collector:4318/v1/metrics', intervalMs: 60_000 };

it('exports both to the paths of an endpoint', () => {
  expect(parse(endpoint)).toEqual({ traces, metrics });
  expect(parse({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://example.com/otlp/' })).toMatchObject({
    traces: { url: 'https://example.com/otlp/v1/traces' },
    metrics: { url: 'https://example.com/otlp/v1/metrics' },
  });
});

it.each([
  ['without an endpoint', { OTEL_TRACES_SAMPLER: 'always_on' }, undefined],
  ['that is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [
    'without exporters',
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    undefined,
  ],
  ['of traces alone', { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }, { traces, metrics: undefined }],
  ['of metrics alone', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, { traces: undefined, metrics }],
  [
    'to a URL of its own, as it is',
    { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/' },
    { traces: { ...traces, url: 'http://traces:1/' }, metrics },
  ],
  [
    'to a URL of its own alone',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:1/m', OTEL_METRIC_EXPORT_INTERVAL: '1000' },
    { traces: undefined, metrics: { url: 'http://metrics:1/m', intervalMs: 1_000 } },
  ],
])('understands an export %s', (_, environment, settings) => {
  expect(parse(environment)).toEqual(settings);
});

it.each([
  ['always_on', undefined, { isParentBased: false, share: 1 }],
  ['always_off', '0.5', { isParentBased: false, share: 0 }],
  ['traceidratio', '0.25', { isParentBased: false, share: 0.25 }],
  ['parentbased_always_on', '0.5', { isParentBased: true, share: 1 }],
  ['parentbased_always_off', undefined, { isParentBased: true, share: 0 }],
  ['parentbased_traceidratio', undefined, { isParentBased: true, share: 1 }],
])('understands the sampler %s', (sampler, share, settings) => {
  const argument = share === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: share };
  expect(parse({ ...endpoint, OTEL_TRACES_SAMPLER: sampler, ...argument })?.traces).toMatchObject(settings);
});

const invalid = [
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf, '],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'must be http/protobuf, '],
  ['OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'grpc', 'must be http/protobuf, '],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'must be an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces', 'must be an http or https URL'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be otlp or none'],
  ['OTEL_METRICS_EXPORTER', 'prometheus', 'must be otlp or none'],
  ['OTEL_TRACES_SAMPLER', 'xray', 'must be one of always_on, '],
  ['OTEL_BSP_SCHEDULE_DELAY', '0', 'must be a whole number from 1 to '],
  ['OTEL_BSP_MAX_QUEUE_SIZE', 'many', 'must be a whole number from 1 to '],
  ['OTEL_METRIC_EXPORT_INTERVAL', '1.5', 'must be a whole number from 1 to '],
] as const;

it.each(invalid)('rejects %s="%s"', (name, value, problem) => {
  const parseInvalid = () => parse({ ...endpoint, [name]: value });
  expect(parseInvalid).toThrow(
    expect.objectContaining({ issues: [expect.stringContaining(`${name} ${problem}`)] }),
  );
});

it.each(['-0.1', '1.1', 'half', '1e-1', '.'])('rejects the share "%s"', (share) => {
  const environment = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
  expect(() => parse({ ...endpoint, ...environment })).toThrow('must be a share from 0 to 1');
});

it('reads nothing that is set for other programs, where it exports nothing', () => {
  const others = Object.fromEntries(invalid.map(([name, value]) => [name, value]));
  expect(parse({ ...others, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  expect(parse({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeUndefined();
  const ofTraces = { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
  expect(parse({ ...endpoint, ...ofTraces })).toEqual({ traces: undefined, metrics });
});
