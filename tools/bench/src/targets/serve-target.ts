/** The command-line arguments of a target: its database, and the only token that it accepts. */
export interface TargetSettings {
  /** `file:` and a path, or `postgresql://…`. */
  readonly databaseUrl: string;
  readonly token: string;
}

/** A target that is listening on a port of 127.0.0.1. */
export interface ListeningTarget {
  readonly port: number;
  /** Finishes the requests in flight, closes the database and resolves. */
  stop(): Promise<void>;
}

/** Runs a target as this process: it prints its URL to standard output, and ends on SIGTERM. */
export async function serveAsTarget(
  start: (settings: TargetSettings) => Promise<ListeningTarget>,
): Promise<void> {
  const [databaseUrl, token] = process.argv.slice(2);
  if (databaseUrl === undefined || token === undefined) throw new Error('Usage: DATABASE_URL TOKEN');
  const target = await start({ databaseUrl, token });
  process.once('SIGTERM', () => void target.stop());
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${target.port}` })}\n`);
}
