/**
 * Resolves or rejects as a promise does, but rejects once the time is over. What the promise stands for goes on then, and
 * nobody hears of its end.
 *
 * @throws {Error} whose message says that this was a timeout
 */
export async function rejectAfter<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timeout exceeded: no answer for ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
