import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@plant-store/postgresql-server';
import { beforeAll, expect, it } from 'vitest';
import { readDocumentedMetrics } from '../support/documented-metrics.js';
import { postPlant } from '../support/post-plant.js';
import { requireProgram, startProgram } from '../support/process/programs.js';
import { root } from '../support/read-markdown.js';
import { alertedMetrics } from '../support/recordings.js';
import { startTestService } from '../support/start-test-service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const folder = join(root, 'deploy/monitoring');

beforeAll(() => {
  for (const program of ['/usr/bin/prometheus', '/usr/bin/promtool'])
    requireProgram(program, '--no-install-recommends prometheus');
});

/** Runs promtool in the folder of the files, and throws with its output if it finds anything. */
function runPromtool(args: readonly string[], input = ''): void {
  execFileSync('/usr/bin/promtool', args, { cwd: folder, input, stdio: ['pipe', 'pipe', 'inherit'] });
}

it.each(['config prometheus.yml', 'rules alerts.yml'])('promtool check %s', (line) => {
  expect(() => runPromtool(['check', ...line.split(' ')])).not.toThrow();
});

/** Starts a Prometheus that scrapes an admin port every second, until the end of the test; returns its URL. */
async function startPrometheus(adminUrl: string): Promise<string> {
  const data = temporaryFolder();
  const config = join(data, 'prometheus.yml');
  const { host } = new URL(adminUrl);
  writeFileSync(
    config,
    `global: { scrape_interval: 1s }
scrape_configs: [{ job_name: plant-store, static_configs: [{ targets: ['${host}'] }] }]
rule_files: ['${join(folder, 'alerts.yml')}']
`,
  );
  const address = `127.0.0.1:${await findFreePort()}`;
  const storage = `--storage.tsdb.path=${data}/data`;
  const args = [`--config.file=${config}`, storage, `--web.listen-address=${address}`];
  startProgram('/usr/bin/prometheus', args, { stdio: 'ignore' }, 'SIGKILL');
  const url = `http://${address}`;
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok);
  return url;
}

/** Queries Prometheus' API. */
async function query(url: string, path: string) {
  const reply = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: unknown };
  expect(reply, path).toMatchObject({ status: 'success' });
  return reply.data;
}

/** The beginning of the meaning of a metric that the service of this test, on SQLite without workers, does not have. */
const ofOtherServices = /^(PostgreSQL|Workers)\b/;

it('a real Prometheus scrapes every metric of the page, and can evaluate the alerts and the dashboard', async () => {
  const service = await startTestService({ ADMIN_PORT: '0' });
  await postPlant(service, { id: 1, name: 'Monstera' }).expect(200);
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  expect(() => runPromtool(['check', 'metrics'], metrics)).not.toThrow();

  const url = await startPrometheus(service.adminUrl ?? '');
  const [own = [], others = []] = [false, true].map((isOther) =>
    readDocumentedMetrics().filter(({ meaning }) => ofOtherServices.test(meaning) === isOther),
  );
  const listed = own.map(({ name }) =>
    metrics.includes(`# TYPE ${name} histogram\n`) ? `${name}_bucket` : name,
  );
  expect(listed.length).toBeGreaterThan(10);
  await expect.poll(() => query(url, 'label/__name__/values')).toEqual(expect.arrayContaining(listed));

  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    readFileSync(join(folder, 'grafana-dashboard.json'), 'utf8'),
  );
  const shown = metrics + others.map(({ name }) => name).join('\n');
  for (const name of alertedMetrics) expect.soft(shown).toContain(name.replace(/_(bucket|sum|count)$/, ''));
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(0);
  for (const expression of expressions) {
    const text = expression.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
    await query(url, `query?query=${encodeURIComponent(text)}`);
    const [name = ''] = /(plant_store|process|nodejs)_\w+/.exec(text) ?? [];
    expect.soft(shown).toContain(name.replace(/_(bucket|sum|count)$/, ''));
  }
});
