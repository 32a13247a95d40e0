import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { startCollector } from '../support/otlp/start-collector.js';
import { startStore } from '../support/process/run-command.js';
import { parseLines } from '../support/read-log.js';
import { slackMs, until } from '../support/until.js';

const shutdownTimeoutMs = 1_000;
/** The longest time that a stop may take, as documented in docs/operate/deploy.md. */
const stopTimeouts = { 1: shutdownTimeoutMs + 2_000, 2: shutdownTimeoutMs + 3_000 };

it.each([1, 2] as const)(
  'sends what is left when it stops, by the settings that it takes, and logs the others once, with WORKERS=%i',
  async (workers) => {
    const collector = await startCollector();
    const { client, command } = await startStore({
      WORKERS: String(workers),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'a:sesame,api-key=kept',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'GZIP',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'parentbased_jaeger_remote',
      OTEL_SERVICE_NAME: 'greenhouse',
      // Nothing is due before, on however slow a machine.
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    for (let id = 1; id <= 5; id++) await client.createPlant({ body: { id, name: 'Fern' } });
    expect(collector.requests).toEqual([]);
    const { exitCode, stdout, stderr } = await command.end('SIGTERM');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = parseLines(stdout);
    const warnings = lines.filter(({ msg }) => msg === 'a setting was not applied as specified');
    expect(warnings.map(({ level, variable }) => `${level} ${variable}`).toSorted()).toEqual([
      '40 OTEL_EXPORTER_OTLP_HEADERS',
      '40 OTEL_EXPORTER_OTLP_PROTOCOL',
      '40 OTEL_TRACES_SAMPLER',
    ]);
    expect(stdout).not.toContain('sesame');
    expect(lines.filter(({ msg }) => msg === 'telemetry was not exported')).toEqual([]);
    const resource = { 'service.name': 'greenhouse', 'deployment.environment.name': 'test' };
    expect(collector.spans).toHaveLength(5);
    for (const span of collector.spans) expect(span).toMatchObject({ name: 'POST /plants', resource });
    const creates = collector.metrics.filter(({ name }) => name === 'plant_store_creates_total');
    expect(creates).toMatchObject([{ resource }]);
    const counted = creates[0]?.points.filter(({ asDouble }) => asDouble !== 0);
    expect(counted).toMatchObject([{ labels: { outcome: 'stored' }, asDouble: 5 }]);
    expect(collector.requests.length).toBeGreaterThan(1);
    for (const { headers } of collector.requests)
      expect(headers).toMatchObject({ 'api-key': 'kept', 'content-encoding': 'gzip' });
  },
);

const neverAnswer = () => undefined;

it.each([
  ['never answers', undefined, 1],
  ['never answers', undefined, 2],
  ['answers with 503', 503, 1],
] as const)(
  'stores plants, logs once, and stops in time with status 0, while the collector %s',
  async (_, answer, workers) => {
    const collector = await startCollector(
      answer === undefined ? neverAnswer : (_, response) => void response.writeHead(answer).end(),
    );
    const { client, command } = await startStore({
      WORKERS: String(workers),
      SHUTDOWN_TIMEOUT_MS: String(shutdownTimeoutMs),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: answer === undefined ? '60000' : '200',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
    });
    let id = 0;
    const create = async () => (await client.createPlant({ body: { id: ++id, name: 'Fern' } })).status;
    await command.waitFor(/"msg":"telemetry was not exported"/);
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1_500) {
      const sentAt = performance.now();
      expect(await create()).toBe(200);
      expect(performance.now() - sentAt).toBeLessThan(slackMs);
    }
    const stoppedAt = performance.now();
    const { exitCode, stdout, stderr } = await command.end('SIGTERM');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(performance.now() - stoppedAt).toBeLessThan(stopTimeouts[workers] + slackMs);
    const lines = stdout.split('\n').filter((line) => line.includes('telemetry was not exported'));
    // Each process has a log of its own.
    const processes = lines.map((line) => JSON.parse(line).worker ?? 'primary');
    expect(processes).toEqual([...new Set(processes)]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, reason: expect.stringMatching(/\w/) });
    if (answer !== undefined) expect(collector.requests.length).toBeGreaterThan(3);
  },
);

it('keeps no more spans than OTEL_BSP_MAX_QUEUE_SIZE, while those before them are being sent', async () => {
  const collector = await startCollector(neverAnswer);
  const { client, command } = await startStore({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_BSP_MAX_QUEUE_SIZE: '3',
    // They are sent once they are as many, not because the time is over.
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  for (let id = 1; id <= 20; id++) await client.createPlant({ body: { id, name: 'Fern' } });
  await until(() => collector.spans.length === 3);
  await command.end('SIGTERM');
  expect(collector.spans).toHaveLength(6);
});
