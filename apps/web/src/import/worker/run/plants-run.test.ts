import { createFakePlantStore } from '@plant-store/client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Progress } from '../../protocol.js';
import { ImportWorker } from '../import-worker.js';

it('leaves the time of a pause out of the rate', async () => {
  const { fetch, baseUrl, token } = createFakePlantStore();
  let progress: Progress | undefined;
  const session = new ImportWorker(
    (report) => {
      if (report.type === 'progress') progress = report.progress;
    },
    {
      retries: 0,
      async fetch(url, init) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return fetch(url, init);
      },
    },
  );
  const lines = Array.from({ length: 1000 }, (_, id) => `${id},Rose`);
  await session.handle({ type: 'read', source: { text: lines.join('\n') } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
  // Twelve at a time, each of which takes a second.
  const rate = expect.closeTo(12, 0);
  await session.handle({ type: 'start', baseUrl, token });
  await pass(4.5);
  expect(progress).toMatchObject({ state: 'running', stored: 48, rate });
  await session.handle({ type: 'pause' });
  // Shorter than what the rate averages over, so that the plants before it would still count.
  await pass(5);
  expect(progress).toMatchObject({ state: 'paused', stored: 60, inFlight: 0, rate: 0 });
  await session.handle({ type: 'resume', baseUrl, token });
  await pass(2.5);
  expect(progress).toMatchObject({ state: 'running', stored: 84, rate });
});
