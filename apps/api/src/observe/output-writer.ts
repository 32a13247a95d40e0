import { constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { withTimeout } from '../runtime/timing.js';

/** Writes text to standard output, in order, without ever blocking on its reader. */
export interface OutputWriter {
  /** Queues a text to be written; drops it while too much is queued. */
  write(text: string): void;
  /**
   * Resolves once everything is written, or after the timeout, in milliseconds; what is not written by then is dropped.
   */
  end(timeoutMs: number): Promise<void>;
  /** The same without the event loop, for a process that crashes: later texts are dropped. */
  endSync(timeoutMs: number): void;
}

/** The delay before a failed write is retried, in milliseconds. */
const retryMs = 10;

/**
 * Creates a writer to a descriptor of `openOutput`. pino's own destination does not do: it keeps retrying after it was
 * destroyed, and retries forever on exit, so that an output that is not read keeps the process from ending.
 *
 * @param backlogBytes the most that is queued
 * @param writeBytes the most that one write has, which ends with a line; a longer line has a write of its own
 */
export function createOutputWriter(
  descriptor: number,
  backlogBytes: number,
  writeBytes = Number.POSITIVE_INFINITY,
): OutputWriter {
  const queue = createByteQueue();
  let writing = false;
  let ended = false;
  let retry: NodeJS.Timeout | undefined;
  let onEmpty: () => void = () => undefined;

  function drop(): void {
    clearTimeout(retry);
    queue.clear();
  }

  function writeNext(): void {
    const first = queue.first();
    if (first === undefined) {
      onEmpty();
      return;
    }
    writing = true;
    write(descriptor, takeLines(first, writeBytes), (error, bytes) => {
      writing = false;
      // Whoever ended it may have closed the descriptor, whose number another file or connection then has.
      if (ended) return;
      if (error === null) queue.remove(bytes);
      else if (isBroken(error)) drop();
      if (error === null || isBroken(error)) writeNext();
      else retry = setTimeout(writeNext, retryMs).unref();
    });
  }

  return {
    write(text) {
      const bytes = Buffer.from(text);
      if (ended || queue.length() + bytes.length > backlogBytes) return;
      const wasEmpty = queue.first() === undefined;
      queue.push(bytes);
      if (wasEmpty && !writing) writeNext();
    },
    async end(timeoutMs) {
      if (queue.first() === undefined) return;
      const empty = new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      await withTimeout(empty, timeoutMs, () => undefined);
      drop();
    },
    endSync(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      ended = true;
      clearTimeout(retry);
      // The write in flight goes on in another thread, and must not be done twice.
      if (writing) queue.remove(takeLines(queue.first() ?? Buffer.alloc(0), writeBytes).length);
      for (let first = queue.first(); first !== undefined; first = queue.first()) {
        try {
          queue.remove(writeSync(descriptor, takeLines(first, writeBytes)));
        } catch (error) {
          if (isBroken(error) || performance.now() >= deadline) return;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
        }
      }
    },
  };
}

/** The first lines, of as many bytes as one write may have, or a single longer line. */
function takeLines(lines: Buffer, bytes: number): Buffer {
  if (lines.length <= bytes) return lines;
  const lastEnd = lines.lastIndexOf('\n', bytes - 1);
  const end = lastEnd >= 0 ? lastEnd : lines.indexOf('\n');
  return end >= 0 ? lines.subarray(0, end + 1) : lines;
}

/** Whether the reader has gone away for good, or the descriptor is closed. Other errors may pass: a full pipe, a full disk. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'EBADF');
}

/** Bytes in the order in which they are to be written. */
interface ByteQueue {
  /** The first of the buffers that were pushed, or what is left of it; `undefined` if the queue is empty. */
  first(): Buffer | undefined;
  /** How many bytes are queued. */
  length(): number;
  push(buffer: Buffer): void;
  /** Removes bytes of the first buffer, once they are written. */
  remove(bytes: number): void;
  clear(): void;
}

/** Creates an empty queue. */
function createByteQueue(): ByteQueue {
  let buffers: Buffer[] = [];
  let length = 0;
  return {
    first: () => buffers[0],
    length: () => length,
    push(buffer) {
      buffers.push(buffer);
      length += buffer.length;
    },
    remove(bytes) {
      const [first] = buffers;
      if (first === undefined) return;
      length -= bytes;
      if (bytes < first.length) buffers[0] = first.subarray(bytes);
      else buffers.shift();
    },
    clear() {
      buffers = [];
      length = 0;
    },
  };
}

/**
 * A descriptor of standard output on which no write blocks.
 *
 * A write that blocks occupies a thread, and the process cannot end before it. Node.js sets pipes and sockets to
 * non-blocking mode, but the mode is shared with every process that has the same output, and any of them may reset it
 * on exit; a terminal that is stopped (Ctrl-S) blocks writes, too. On Linux, pipes and terminals are opened again, with
 * a mode of their own. Files stay shared, since their descriptors share the position of the next write.
 */
export function openOutput(): number {
  const stdout: Writable & { readonly fd: number } = process.stdout;
  // Standard output is not a `Socket` if it is a file.
  if (!(stdout instanceof Socket)) return stdout.fd;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${stdout.fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket, an output that another user has opened, or an operating system without /proc.
    return stdout.fd;
  }
}
