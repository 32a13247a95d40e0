import { afterAll, vi } from 'vitest';

// Files share a process, so what one has replaced must not be missing in the next.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
