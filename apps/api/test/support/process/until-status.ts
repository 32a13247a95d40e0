import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a URL until it answers with a status. */
export async function untilStatus(url: string, status: number): Promise<void> {
  while ((await fetch(url)).status !== status) await sleep(20);
}
