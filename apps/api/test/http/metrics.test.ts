import { readFileSync } from 'node:fs';
import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import supertest from 'supertest';
import { expect, inject, it } from 'vitest';
import { readMetrics } from '../support/admin-port.js';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPage } from '../support/read-markdown.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, useTestService } from '../support/start-test-service.js';

const service = useTestService({ ADMIN_PORT: '0' });

/** A request is counted just after its reply was sent, also by a worker. Long enough for a slow machine, in milliseconds. */
const countedMs = 30_000;

/** Expects lines of the metrics, such as `name{label="value"} 1`. */
async function expectLines(lines: readonly string[], of = service): Promise<void> {
  const read = async () => (await readMetrics(of)).split('\n');
  await expect.poll(read, { timeout: countedMs }).toEqual(expect.arrayContaining([...lines]));
}

it('counts commits, requests and creates by what became of them', async () => {
  const plant = { id: 1, name: 'Monstera' };
  await postPlant(service, plant).expect(200);
  await postPlant(service, { id: 2, name: 'Fern' }).expect(200);
  await expectLines([
    'plant_store_commit_plants_count 2',
    'plant_store_commit_plants_sum 2',
    'plant_store_commit_plants_bucket{le="1"} 2',
    'plant_store_commit_duration_seconds_count 2',
    // Each worker looks it up by itself.
    ...(inject('workers') > 1 ? [] : ['plant_store_token_lookups_total 1']),
  ]);
  await postPlant(service, plant).expect(200);
  await postPlant(service, { id: 1, name: 'Fern' }).expect(400);
  await postPlant({ ...service, token: 'wrong' }, plant).expect(401);
  await supertest(service.baseUrl).get('/openapi.json').expect(200);
  await expectLines([
    'plant_store_http_requests_total{method="POST",route="/plants",status="200",error=""} 3',
    `plant_store_http_requests_total{method="POST",route="/plants",status="400",error="${errors.id_taken.error}"} 1`,
    'plant_store_http_requests_total{method="POST",route="/plants",status="401",error="40101"} 1',
    'plant_store_http_requests_total{method="GET",route="/openapi.json",status="200",error=""} 1',
    'plant_store_http_request_duration_seconds_count{route="/plants"} 5',
    'plant_store_creates_total{outcome="stored"} 2',
    'plant_store_creates_total{outcome="replayed"} 1',
    'plant_store_creates_total{outcome="id_taken"} 1',
    'plant_store_creates_total{outcome="invalid_token"} 1',
    'plant_store_http_requests_in_flight 0',
    'plant_store_token_checks_total{outcome="valid"} 4',
    'plant_store_token_checks_total{outcome="malformed"} 1',
  ]);
});

it('counts the plants of a batch as creates only where it creates them, and logs what became of each', async () => {
  const other = await startTestService({ ADMIN_PORT: '0' });
  const client = createClient(other);
  await client.createPlants({ body: { plants: [{ id: 1, name: 'Fern' }] } });
  const ids = ['1', '2'];
  const plants = ids.map((idText) => ({ idText, name: 'Ivy', ifMatch: '*' }));
  const replies = [
    await client.getPlants({ body: { ids } }),
    await client.updatePlants({ body: { plants: [...plants, { id: 1, name: 'Oak', ifMatch: '"x"' }] } }),
    await client.deletePlants({ body: { ids } }),
  ];
  const lines = await Promise.all(replies.map(({ requestId }) => readLog(other, requestId ?? '')));
  expect(lines.flat().map(({ outcomes }) => outcomes)).toEqual([
    { found: 1, plant_not_found: 1 },
    { updated: 1, plant_not_found: 1, precondition_failed: 1 },
    { deleted: 1, plant_not_found: 1 },
  ]);
  await expectLines(
    [
      'plant_store_http_requests_total{method="POST",route="/plants/batch/get",status="200",error=""} 1',
      'plant_store_http_requests_total{method="POST",route="/plants/batch/update",status="200",error=""} 1',
      'plant_store_http_requests_total{method="POST",route="/plants/batch/delete",status="200",error=""} 1',
      'plant_store_creates_total{outcome="stored"} 1',
      'plant_store_creates_total{outcome="plant_not_found"} 0',
    ],
    other,
  );
  expect(await readMetrics(other)).not.toMatch(/outcome="(found|updated|deleted)"/);
});

it('counts commits that fail, by the error, and rejections for overload by the limit that was reached', async () => {
  const settings = { ADMIN_PORT: '0', QUEUE_MAX_BYTES: '1', DATABASE_STATEMENT_TIMEOUT_MS: '1000' };
  const narrow = await startTestService(settings);
  await postPlant(narrow, { id: 1, name: 'Fern' }).expect(200);
  // It locks plants alone: another worker than before may have to look up the token.
  const endOutage = await narrow.database.beginOutage('locked');
  // Of each process one is queued, and at most two are in flight.
  const ids = Array.from({ length: 12 }, (_, at) => at + 3);
  const replies = await Promise.all(ids.map((id) => postPlant(narrow, { id, name: 'Fern' })));
  await endOutage();
  const rejected = replies.filter(({ body }) => body.error === errors.overloaded.error);
  const failed = replies.filter((reply) => !rejected.includes(reply));
  for (const reply of rejected) expectError(reply, 'overloaded', /./);
  for (const reply of failed) expectError(reply, 'database_unavailable', /./);
  expect(Math.min(rejected.length, failed.length)).toBeGreaterThan(0);
  await expectLines(
    [
      `plant_store_overload_rejections_total{reason="waiting_bytes"} ${rejected.length}`,
      `plant_store_creates_total{outcome="database_unavailable"} ${failed.length}`,
      expect.stringMatching(/^plant_store_commit_failures_total\{error="database_unavailable"\} [1-9]/),
    ],
    narrow,
  );
});

it('show which build of the service runs on which Node.js', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const labels = `version="${version}",commit="unknown",node_version="${process.versions.node}"`;
  await expectLines([`plant_store_build_info{${labels}} 1`]);
});

it('are those that the page lists for the engine, and no others', async () => {
  const { headers } = await fetch(`${service.adminUrl}/metrics`);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const shown = (await readMetrics(service)).match(/(?<=^# TYPE )plant_store_\w+ \w+$/gm) ?? [];
  const otherEngine = inject('engine') === 'sqlite' ? 'PostgreSQL: ' : 'SQLite: ';
  const others = [otherEngine, ...(inject('workers') > 1 ? [] : ['Workers: '])];
  const page = readPage('docs/operate/observability.md');
  const rows = [...page.matchAll(/^\| `(plant_store_\w+)` \| (\w+) \| (.*) \|$/gm)];
  const listed = rows
    .filter(([, , , meaning = '']) => !others.some((other) => meaning.startsWith(other)))
    .map(([, name, type]) => `${name} ${type}`);
  expect(shown.toSorted()).toEqual(listed.toSorted());
});

it('have no labels that a stranger chooses', async () => {
  for (const path of ['/one', '/two', '/plants/1/2/3', '/docs/four'])
    await supertest(service.baseUrl).get(path).expect(404);
  await sendRaw(service.baseUrl, 'BREW /plants HTTP/1.1\r\nHost: a\r\n\r\n');
  const labels = 'method="GET",route="other",status="404",error="40400"';
  await expectLines([`plant_store_http_requests_total{${labels}} 4`]);
  expect(await readMetrics(service)).not.toContain('BREW');
});
