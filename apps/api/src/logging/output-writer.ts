import { constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Writes text to standard output, in order, and never waits for whoever reads it. */
export interface OutputWriter {
  /** Takes a text to be written; drops it while too much waits already. */
  write(text: string): void;
  /** Resolves once all is written, or the time is over; what is not written by then is dropped. In milliseconds. */
  end(timeoutMs: number): Promise<void>;
  /** The same without the event loop, for a process that crashes. */
  endSync(timeoutMs: number): void;
}

/** After how long an output that took nothing is tried again, in milliseconds. */
const retryMs = 10;

/**
 * Writes to a descriptor of `openOutput`. pino's own destination is not enough for that: it goes on trying after it was
 * destroyed, and at the exit tries for ever, so that an output that nobody reads keeps the process from ending.
 *
 * @param backlogBytes how much waits at most
 */
export function createOutputWriter(descriptor: number, backlogBytes: number): OutputWriter {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let writing = false;
  let retry: NodeJS.Timeout | undefined;
  let onEmpty: () => void = () => undefined;

  function take(bytes: number): void {
    const [first] = waiting;
    if (first === undefined) return;
    waitingBytes -= bytes;
    if (bytes < first.length) waiting[0] = first.subarray(bytes);
    else waiting.shift();
  }

  function drop(): void {
    clearTimeout(retry);
    waiting = [];
    waitingBytes = 0;
  }

  function writeNext(): void {
    const [first] = waiting;
    if (first === undefined) {
      onEmpty();
      return;
    }
    writing = true;
    write(descriptor, first, (error, bytes) => {
      writing = false;
      if (error === null) take(bytes);
      // Nobody will ever read it. Anything else may pass: a full pipe, a full disk.
      else if (error.code === 'EPIPE') drop();
      if (error === null || error.code === 'EPIPE') writeNext();
      else retry = setTimeout(writeNext, retryMs).unref();
    });
  }

  return {
    write(text) {
      const bytes = Buffer.from(text);
      if (waitingBytes + bytes.length > backlogBytes) return;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (!writing && waiting.length === 1) writeNext();
    },
    async end(timeoutMs) {
      if (waiting.length === 0) return;
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      const deadline = new AbortController();
      await Promise.race([
        empty,
        delay(timeoutMs, undefined, { signal: deadline.signal }).catch(() => undefined),
      ]);
      // Or the process would not end before it.
      deadline.abort();
      drop();
    },
    endSync(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      // What another thread is writing is not written twice.
      if (writing) take(waiting[0]?.length ?? 0);
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        try {
          take(writeSync(descriptor, first));
        } catch {
          if (performance.now() >= deadline) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
        }
      }
    },
  };
}

/**
 * A descriptor of standard output on which no write waits.
 *
 * A write that waits holds a thread, which the end of the process then waits for. Node.js puts pipes and sockets into
 * non-blocking mode, but shares that mode with every process that has the same output, and any of them may undo it at
 * its end; a terminal that is stopped (Ctrl-S) makes writes wait, too. On Linux both are opened once more, with a mode of
 * their own. Files stay shared, since they share the place at which the next line is written.
 */
export function openOutput(): number {
  const stdout: Writable & { readonly fd: number } = process.stdout;
  // Node.js has no such class for a file.
  if (!(stdout instanceof Socket)) return stdout.fd;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${stdout.fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket, an output that another user has opened, or another system.
    return stdout.fd;
  }
}
