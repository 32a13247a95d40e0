import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const parse = (environment: Readonly<Record<string, string>>) => parseConfig(environment, '/').otlp;
const exported = { timeoutMs: 10_000, compression: 'none' };
const traces = {
  ...exported,
  url: 'http://collector:4318/v1/traces',
  followsCallers: true,
  isParentBased: true,
  share: 1,
  delayMs: 5_000,
  exportTimeoutMs: 30_000,
  queueSpans: 2_048,
  exportSpans: 512,
  attributes: 128,
  attributeLength: undefined,
};
const metrics = {
  ...exported,
  url: 'http://collector:4318/v1/metrics',
  intervalMs: 60_000,
  exportTimeoutMs: 30_000,
};

it('exports both to the paths of an endpoint', () => {
  expect(parse(endpoint)).toEqual({ traces, metrics });
  expect(parse({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://example.com/otlp/' })).toMatchObject({
    traces: { url: 'https://example.com/otlp/v1/traces' },
    metrics: { url: 'https://example.com/otlp/v1/metrics' },
  });
});

it.each([
  ['without an endpoint', { OTEL_TRACES_SAMPLER: 'always_on' }, undefined],
  ['with an endpoint of spaces', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
  ['that is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, undefined],
  [
    'without exporters',
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'None' },
    undefined,
  ],
  ['of traces alone', { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }, { traces, metrics: undefined }],
  ['of metrics alone', { ...endpoint, OTEL_TRACES_EXPORTER: ' NONE ' }, { traces: undefined, metrics }],
  [
    'of traces to their own URL, unchanged',
    { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/' },
    { traces: { ...traces, url: 'http://traces:1/' }, metrics },
  ],
  [
    'of only metrics, to their own URL',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:1/m', OTEL_METRIC_EXPORT_INTERVAL: '1000' },
    { traces: undefined, metrics: { ...metrics, url: 'http://metrics:1/m', intervalMs: 1_000 } },
  ],
  [
    'whose values have any letter case and spaces around them',
    {
      ...endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: ' HTTP/Protobuf',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'GZIP',
      OTEL_TRACES_EXPORTER: 'OTLP',
      OTEL_METRICS_EXPORTER: 'None',
      OTEL_TRACES_SAMPLER: 'Always_Off',
      OTEL_PROPAGATORS: 'Baggage',
      OTEL_BSP_SCHEDULE_DELAY: ' 1000 ',
      OTEL_SDK_DISABLED: 'False',
    },
    {
      traces: {
        ...traces,
        followsCallers: false,
        compression: 'gzip',
        isParentBased: false,
        share: 0,
        delayMs: 1_000,
      },
      metrics: undefined,
    },
  ],
  [
    'with values of one signal before those of both',
    {
      ...endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '200',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'none',
      OTEL_ATTRIBUTE_COUNT_LIMIT: '9',
      OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '7',
      OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '0',
      OTEL_BSP_EXPORT_TIMEOUT: '1',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
      OTEL_METRIC_EXPORT_TIMEOUT: '3',
    },
    {
      traces: {
        ...traces,
        timeoutMs: 200,
        compression: 'gzip',
        attributes: 7,
        attributeLength: 0,
        exportTimeoutMs: 1,
        exportSpans: 2,
      },
      metrics: { ...metrics, timeoutMs: 100, exportTimeoutMs: 3 },
    },
  ],
])('understands an export %s', (_, environment: Readonly<Record<string, string>>, settings) => {
  const { otlp, warnings } = parseConfig(environment, '/');
  expect(otlp).toEqual(settings);
  expect(warnings).toEqual([]);
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

/** Values that the service does not support, and its warning for each. */
const misunderstood = [
  ['OTEL_SDK_DISABLED', '1', '"1" is ignored: it must be true or false. false is used.'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', '"grpc" is ignored: it must be http/protobuf, '],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', '"http/json" is ignored: it must be http/protobuf, '],
  [
    'OTEL_TRACES_EXPORTER',
    'otlp,Console',
    '"console" is ignored: only otlp, none are supported. otlp is used.',
  ],
  ['OTEL_METRICS_EXPORTER', 'prometheus', '"prometheus" is ignored: only otlp, none are supported.'],
  ['OTEL_LOGS_EXPORTER', 'otlp', 'It is ignored. Logs are written only to standard output.'],
  ['OTEL_TRACES_SAMPLER', 'xray', '"xray" is ignored: it must be one of always_on, '],
  [
    'OTEL_PROPAGATORS',
    'b3,xray',
    '"b3,xray" is ignored: only tracecontext, baggage, none are supported. tracec',
  ],
  ['OTEL_BSP_SCHEDULE_DELAY', '0', 'it must be a whole number from 1 to 2147483647. 5000 is used.'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', 'many', 'it must be a whole number from 1 to 1000000. 2048 is used.'],
  ['OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT', 'x', '. 128 is used.'],
  ['OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', '-1', '. No limit is used.'],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', 'it must be a whole number from 1 to 2147483647. 10000 is used.'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zstd', '"zstd" is ignored: it must be gzip or none. none is used.'],
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'api-key:sesame',
    'Entries must be key=value pairs, with special characters encoded as %XX. Other entries are ',
  ],
  [
    'OTEL_RESOURCE_ATTRIBUTES',
    'team=plants,sesame',
    'It is ignored: it must be a comma-separated list of key=value',
  ],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=sesame=b', 'It is ignored: it must be a comma-separated'],
  ['OTEL_RESOURCE_ATTRIBUTES', `a=${'sesame'.repeat(50)}`, 'It is ignored: it must be a comma-separated'],
  ['OTEL_CONFIG_FILE', '/etc/otel.yaml', 'It is ignored. The service reads only environment variables.'],
  ['OTEL_EXPORTER_PROMETHEUS_PORT', '9464', 'It is ignored. The service uses ADMIN_PORT instead.'],
] as const;

it.each(misunderstood)('ignores %s="%s" with one warning', (variable, value, reason) => {
  const { otlp, warnings } = parseConfig({ ...endpoint, [variable]: value }, '/');
  expect(warnings).toEqual([{ variable, reason: expect.stringContaining(reason) }]);
  expect(JSON.stringify(warnings)).not.toContain('sesame');
  expect(otlp).toEqual({ traces, metrics });
});

it.each(['-0.1', '1.1', 'half', '.'])('ignores the share "%s" with a warning', (share) => {
  const sampling = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: share };
  const { otlp, warnings } = parseConfig({ ...endpoint, ...sampling }, '/');
  expect(otlp?.traces?.share).toBe(1);
  expect(warnings).toEqual([
    {
      variable: 'OTEL_TRACES_SAMPLER_ARG',
      reason: `"${share}" is ignored: it must be a fraction from 0 to 1, such as 0.01. 1 is used.`,
    },
  ]);
});

it('uses the common value when the value for one signal is invalid', () => {
  const timeouts = { OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: 'x', OTEL_EXPORTER_OTLP_TIMEOUT: '7' };
  const { otlp, warnings } = parseConfig({ ...endpoint, ...timeouts }, '/');
  expect(otlp?.traces?.timeoutMs).toBe(7);
  expect(warnings.map(({ reason }) => reason)).toEqual([expect.stringMatching(/\. 7 is used\.$/)]);
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', undefined],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'me:sesame@collector:4317', undefined],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces', { traces, metrics }],
])('ignores the endpoint %s="%s" with a warning that does not quote it', (variable, value, settings) => {
  const { otlp, warnings } = parseConfig({ ...endpoint, [variable]: value }, '/');
  expect(otlp).toEqual(settings);
  const reason = 'It is ignored: it must be an http or https URL, such as http://127.0.0.1:4318.';
  expect(warnings).toEqual([{ variable, reason }]);
});

it.each(['api key=sesame', 'api-key=%0Asesame'])(
  'exports nothing with the header %s, which cannot be sent',
  (value) => {
    const headers = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: value };
    const { otlp, warnings } = parseConfig({ ...endpoint, ...headers }, '/');
    expect(otlp).toEqual({ traces: undefined, metrics });
    const reason = expect.stringMatching(/^A header name or value contains an invalid character\./);
    expect(warnings).toEqual([{ variable: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', reason }]);
  },
);

it.each(['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'])(
  'exports nothing by TLS without the file of OTEL_EXPORTER_OTLP_%s, which it would need',
  (setting) => {
    const variable = `OTEL_EXPORTER_OTLP_${setting}`;
    const files = { [variable]: `${temporaryFolder()}/missing.pem` };
    const secure = { ...files, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318' };
    const { otlp, warnings } = parseConfig(secure, '/');
    expect(otlp).toBeUndefined();
    const reason = expect.stringMatching(
      /^The file cannot be read: ENOENT.*Exports that need it are disabled\.$/,
    );
    expect(warnings).toEqual([{ variable, reason }]);
    expect(parseConfig({ ...endpoint, ...files }, '/')).toMatchObject({ otlp: { traces }, warnings: [] });
  },
);

it('does not warn about variables for other programs if it exports nothing', () => {
  const others = Object.fromEntries(misunderstood.map(([name, value]) => [name, value]));
  for (const environment of [others, { ...others, ...endpoint, OTEL_SDK_DISABLED: 'true' }])
    expect(parseConfig(environment, '/')).toMatchObject({ otlp: undefined, warnings: [] });
  const ofTraces = { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' };
  expect(parseConfig({ ...endpoint, ...ofTraces }, '/')).toMatchObject({
    otlp: { traces: undefined, metrics },
    warnings: [],
  });
});
