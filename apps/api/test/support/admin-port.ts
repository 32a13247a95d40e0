interface Service {
  readonly adminUrl?: string | undefined;
}

/** The metrics of a service, in Prometheus' text format. */
export async function readMetrics({ adminUrl }: Service): Promise<string> {
  return (await fetch(`${adminUrl}/metrics`)).text();
}

/** The sum of a metric over all labels, or of those that its name is followed by; NaN where it is missing. */
export async function readMetric(service: Service, name: string): Promise<number> {
  const lines = (await readMetrics(service)).split('\n');
  const values = lines.flatMap((line) =>
    line.startsWith(`${name}{`) || line.startsWith(`${name} `)
      ? Number(line.slice(line.lastIndexOf(' ')))
      : [],
  );
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value);
}

/** Whether a service is ready, and why not. */
export async function readReadiness({ adminUrl }: Service) {
  const reply = await fetch(`${adminUrl}/readyz`);
  return { status: reply.status, body: await reply.json() };
}
