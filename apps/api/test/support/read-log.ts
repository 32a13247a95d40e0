import type { TestService } from './start-test-service.js';
import { until } from './until.js';

/** A line of the log; the other fields depend on the event. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly msg: string;
}

/** The records of a log on standard output. */
export function parseLines(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The lines that a service has logged so far whose messages begin with a text. */
export function findLines({ logLines }: TestService, text = ''): LogLine[] {
  return logLines.map((line): LogLine => JSON.parse(line)).filter(({ msg }) => msg.startsWith(text));
}

/** Returns the log lines of one request, after waiting for the last one, which is written once the reply is sent. */
export function readLog(service: TestService, requestId: string | undefined): Promise<LogLine[]> {
  return until(() => {
    const lines = findLines(service).filter((line) => line['requestId'] === requestId);
    return lines.some(({ msg }) => msg.startsWith('request')) ? lines : undefined;
  }, 5);
}
