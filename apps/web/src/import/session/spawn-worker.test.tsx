import { afterEach, expect, it, vi } from 'vitest';
import type { Report } from '../protocol.js';
import { spawnWorker } from './spawn-worker.js';

/** A worker that never starts, as if blocked by a policy or an extension. */
class BlockedWorker extends EventTarget {
  constructor() {
    super();
    setTimeout(() => this.dispatchEvent(new Event('error', { cancelable: true })));
  }
  postMessage() {}
  terminate() {}
}

/** A worker that starts and then fails. */
class FailingWorker extends BlockedWorker {
  constructor() {
    super();
    queueMicrotask(() =>
      this.dispatchEvent(new MessageEvent('message', { data: { type: 'view', view: {} } })),
    );
  }
}

afterEach(() => vi.unstubAllGlobals());

it.each([
  ['has none', undefined],
  ['does not let it start', BlockedWorker],
])('reads lines without a worker if the browser %s', async (_, Worker) => {
  vi.stubGlobal('Worker', Worker);
  const reports: Report[] = [];
  const onCrash = vi.fn();
  const worker = spawnWorker({ onReport: (report) => reports.push(report), onCrash });
  worker.send(['read', { text: '1,Rose\n' }, {}]);
  await vi.waitFor(() => expect(reports).toMatchObject([{ view: { step: 'columns' } }]), { timeout: 30_000 });
  const { length } = reports;
  worker.end();
  worker.send(['recognize', 0]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(reports).toHaveLength(length);
  expect(onCrash).not.toHaveBeenCalled();
});

it('reports the end of a worker that had started', async () => {
  vi.stubGlobal('Worker', FailingWorker);
  const onCrash = vi.fn();
  spawnWorker({ onReport: () => undefined, onCrash }).send(['download']);
  await expect.poll(() => onCrash).toHaveBeenCalledExactlyOnceWith('');
});
