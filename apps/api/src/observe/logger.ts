import { constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type LevelWithSilent, pino, stdTimeFunctions } from 'pino';
import * as z from 'zod';
import { codeOf } from '../errors/operator-error.js';
import { block, stopTimeouts, withTimeout } from '../runtime/timing.js';

export type Log = ReturnType<typeof createLogger>;

/** Opens the log of a process that serves requests: JSON lines, or readable text on a terminal. */
export async function openLog(
  level: LevelWithSilent,
  { isTerminal, isShared }: { readonly isTerminal: boolean; readonly isShared: boolean },
): Promise<Log> {
  return createLogger(level, { format: isTerminal ? await createTerminalFormat() : undefined, isShared });
}

interface LoggerOptions {
  /** Changes each line before it is written. */
  readonly format?: ((line: string) => string) | undefined;
  /** Whether other processes log to the same output. If so, lines of up to 4,096 bytes are not split. */
  readonly isShared?: boolean;
}

/** Writes of up to this size to a pipe are atomic (POSIX, `PIPE_BUF`; 4,096 on Linux). */
const atomicBytes = 4_096;

/**
 * Creates a logger: one JSON line per event on standard output. Requests never wait for the log. If it cannot be written, because the disk
 * is full or the reader is gone or hangs, requests are still answered, and the process still ends in time.
 */
export function createLogger(level: LevelWithSilent, { format, isShared = false }: LoggerOptions = {}) {
  const output = createOutputWriter(openOutput(), isShared ? atomicBytes : undefined);
  const writeRest = () => output.endSync(stopTimeouts.logMs);
  process.once('exit', writeRest);
  const destination = format === undefined ? output : { write: (line: string) => output.write(format(line)) };
  const log = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination);
  return {
    log,
    /** Writes a text for a person between the log lines, whatever the log level. */
    print: (text: string) => output.write(text),
    /** Writes the buffered lines, in order, and resolves when they are written. Later lines are dropped. */
    async close(): Promise<void> {
      log.level = 'silent';
      process.off('exit', writeRest);
      await output.end(stopTimeouts.logMs);
    },
  };
}

/** The maximum backlog while the output is not read, in bytes. Lines beyond it are dropped. */
const backlogBytes = 2 ** 24;

/** The buffer size, in bytes, and how long lines stay in the buffer, in milliseconds. */
const bufferBytes = 65_536;
const flushMs = 100;

/** The delay before a failed write is retried, in milliseconds. */
const retryMs = 10;

const writeAsync = promisify(write);

/**
 * Creates a writer that writes lines in order to a descriptor from `openOutput`, and never blocks on the reader. Decision 22 explains why
 * pino's own destination and Node.js streams cannot do this.
 *
 * @param chunkBytes the maximum size of a write, which ends at a line break; a longer line is written separately
 */
export function createOutputWriter(descriptor: number, chunkBytes = bufferBytes) {
  /** The lines of the next chunk. */
  let lines = '';
  /** The chunks to write. The first one may be partly written. */
  let queue: Buffer[] = [];
  let bufferedBytes = 0;
  let writing: Promise<void> | undefined;
  let isInFlight = false;
  let ended = false;
  const timer = setInterval(flush, flushMs).unref();

  function flush(): void {
    queueLines();
    writeQueue();
  }

  function queueLines(): void {
    if (lines.length === 0) return;
    const chunk = Buffer.from(lines);
    // The limit was checked in characters, which is cheaper. Non-ASCII characters take several bytes.
    if (chunk.length <= chunkBytes) queue.push(chunk);
    else queue.push(...lines.split(/(?<=\n)/).map((line) => Buffer.from(line)));
    bufferedBytes += chunk.length - lines.length;
    lines = '';
  }

  function writeQueue(): void {
    if (queue.length > 0) writing ??= writeChunks();
  }

  async function writeChunks(): Promise<void> {
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      isInFlight = true;
      const result = await writeAsync(descriptor, first).catch((error: unknown) => ({ error }));
      isInFlight = false;
      // After the end, the caller may have closed the descriptor, and its number may belong to another file or connection.
      if (ended) return;
      if ('bytesWritten' in result) remove(first, result.bytesWritten);
      else if (isBroken(result.error)) dropQueue();
      else await sleep(retryMs, undefined, { ref: false });
      if (ended) return;
    }
    writing = undefined;
  }

  function remove(first: Buffer, bytes: number): void {
    bufferedBytes -= bytes;
    if (bytes < first.length) queue[0] = first.subarray(bytes);
    else queue.shift();
  }

  function dropQueue(): void {
    queue = [];
    bufferedBytes = lines.length;
  }

  function stop(): void {
    ended = true;
    clearInterval(timer);
  }

  return {
    /** Buffers a line, so that it is written with others. Drops the line if the backlog is full. */
    write(line: string): void {
      if (ended || bufferedBytes + line.length > backlogBytes) return;
      if (lines.length + line.length > chunkBytes) queueLines();
      lines += line;
      bufferedBytes += line.length;
      if (bufferedBytes >= bufferBytes) writeQueue();
    },
    /** Resolves once everything is written, or after the timeout, in milliseconds. The rest is dropped. */
    async end(timeoutMs: number): Promise<void> {
      flush();
      if (writing !== undefined) await withTimeout(writing, timeoutMs, () => undefined);
      stop();
    },
    /** Does the same as `end`, but synchronously, for a process that is exiting. */
    endSync(timeoutMs: number): void {
      const deadline = performance.now() + timeoutMs;
      queueLines();
      stop();
      // The write in flight continues in another thread, and must not be repeated. Its end is not observable here, so wait before the next
      // write.
      if (isInFlight) {
        queue.shift();
        block(Math.min(flushMs, timeoutMs));
      }
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        try {
          remove(first, writeSync(descriptor, first));
        } catch (error) {
          if (isBroken(error) || performance.now() >= deadline) return;
          block(retryMs);
        }
      }
    },
  };
}

/** Whether the reader is gone for good, or the descriptor is closed. Other errors are temporary: a full pipe, a full disk. */
function isBroken(error: unknown): boolean {
  return ['EPIPE', 'EBADF'].includes(String(codeOf(error)));
}

/**
 * Opens a descriptor of standard output on which writes do not block.
 *
 * A blocked write occupies a thread, and the process cannot exit before it ends. Node.js sets pipes and sockets to non-blocking mode, but
 * the mode is shared with every process that has the same output, and any of them may reset it on exit. A stopped terminal (Ctrl-S) blocks
 * writes, too. On Linux, this function reopens pipes and terminals, with a separate mode. It does not reopen files, because their
 * descriptors must share the write position.
 */
function openOutput(): number {
  const stdout: Writable & { readonly fd: number } = process.stdout;
  // Standard output is not a `Socket` if it is a file.
  if (!(stdout instanceof Socket)) return stdout.fd;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${stdout.fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // A socket, an output opened by another user, or an operating system without /proc.
    return stdout.fd;
  }
}

const LineSchema = z.looseObject({ err: z.looseObject({ stack: z.string().optional() }).optional() });

/**
 * Returns a function that formats a log line for a person at a terminal: time, level, message, the other fields as JSON, and below them an
 * error's stack trace. Control characters are escaped, since a terminal could take them as commands.
 */
export async function createTerminalFormat(): Promise<(line: string) => string> {
  // Loaded here because only terminals need it. In the bundle, a CommonJS module has only a default export.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    errorLikeObjectKeys: [],
  });
  return (line) => {
    const { err: { stack, ...error } = {}, ...fields } = LineSchema.parse(JSON.parse(line));
    const hasError = Object.keys(error).length > 0;
    // JSON does not escape invisible characters beyond ASCII. Control characters within ASCII are the color codes.
    const text = pretty({ ...fields, ...(hasError && { error }) }).replace(
      /[\u007f-\u{10ffff}]+/gu,
      escapeForTerminal,
    );
    return stack === undefined ? text : `${text}${escapeForTerminal(stack)}\n`;
  };
}
