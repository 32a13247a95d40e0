import { until } from '../until.js';

/** Polls a URL until it answers with a status. */
export async function untilStatus(url: string, status: number): Promise<void> {
  await until(async () => (await fetch(url)).status === status);
}
