/** What a peer is handed on its command line: the database its plants go to, and the one token it accepts. */
export interface TargetSettings {
  /** `file:` and a path, or `postgresql://…`. */
  readonly databaseUrl: string;
  readonly token: string;
}

/** A peer that is listening on a port of 127.0.0.1. */
export interface ListeningTarget {
  readonly port: number;
  /** Answers what is running, closes the database and resolves. */
  stop(): Promise<void>;
}

/** Runs a peer as this process: it says where it listens on standard output, and ends on SIGTERM. */
export async function serveAsTarget(
  start: (settings: TargetSettings) => Promise<ListeningTarget>,
): Promise<void> {
  const [databaseUrl, token] = process.argv.slice(2);
  if (databaseUrl === undefined || token === undefined) throw new Error('Call it with: DATABASE TOKEN');
  const peer = await start({ databaseUrl, token });
  process.once('SIGTERM', () => void peer.stop());
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${peer.port}` })}\n`);
}
