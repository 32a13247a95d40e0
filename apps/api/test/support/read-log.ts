import type { TestService } from './start-test-service.js';
import { until } from './until.js';

/** A line of the log; the other fields depend on the event. */
export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  readonly msg: string;
}

/** Returns the log lines of one request, after waiting for the last one, which is written once the reply is sent. */
export function readLog({ logLines }: TestService, requestId: string | undefined): Promise<LogLine[]> {
  const findLines = () => {
    const lines = logLines
      .map((line): LogLine => JSON.parse(line))
      .filter((line) => line['requestId'] === requestId);
    return lines.some(({ msg }) => msg.startsWith('request')) ? lines : undefined;
  };
  return until(findLines, 5);
}
