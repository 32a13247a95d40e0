import { constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type LevelWithSilent, pino, stdTimeFunctions } from 'pino';
import * as z from 'zod';
import { stopTimeouts, withTimeout } from '../runtime/timing.js';
import { createRequestLog, type RequestLog } from './request-log.js';

/** The log of a process: a logger over a buffer, and a way to flush that. */
export type Log = ReturnType<typeof createLogger>;

/** Opens the log of a process that serves requests: its lines are JSON, or at a terminal for a person. */
export async function openLog(
  { logLevel, fastPath }: { readonly logLevel: LevelWithSilent; readonly fastPath: boolean },
  { isTerminal, isShared }: { readonly isTerminal: boolean; readonly isShared: boolean },
): Promise<Log> {
  const format = isTerminal ? await createTerminalFormat() : undefined;
  const log = createLogger(logLevel, { format, isShared });
  return fastPath ? log : { ...log, requestLog: log.log };
}

/** How a logger differs from the default one. */
interface LoggerOptions {
  /** Changes each line before it is written. */
  readonly format?: ((line: string) => string) | undefined;
  /** Whether other processes log to the same output: lines of up to 4,096 bytes then stay whole. */
  readonly isShared?: boolean;
}

/** What is written to a pipe as one, whatever other processes write to it (POSIX, `PIPE_BUF`; 4,096 on Linux). */
const atomicBytes = 4_096;

/**
 * Creates a logger: one JSON line per event on standard output, written without making a request wait. When the log
 * cannot be written, because the disk is full or its reader has gone away or hangs, requests are still answered, and
 * the process ends in time.
 */
export function createLogger(level: LevelWithSilent, { format, isShared = false }: LoggerOptions = {}) {
  const output = createOutputWriter(openOutput(), isShared ? atomicBytes : undefined);
  const writeRest = () => output.endSync(stopTimeouts.logMs);
  process.once('exit', writeRest);
  const timestamp = isoTimestamps();
  const destination = format === undefined ? output : { write: (line: string) => output.write(format(line)) };
  const log = pino({ level, base: null, timestamp }, destination);
  return {
    log,
    /** Writes the lines of requests as `log` would, at the same level and to the same place, in less time. */
    requestLog: createRequestLog({ log, timestamp, destination }) as RequestLog,
    /** Writes a text for a person between the lines of the log, whatever the log level. */
    print: (text: string) => output.write(text),
    /** Writes what is buffered, in order, and resolves when it is written. Whatever is logged later is dropped. */
    async close(): Promise<void> {
      log.level = 'silent';
      process.off('exit', writeRest);
      await output.end(stopTimeouts.logMs);
    },
  };
}

/** Pino's `isoTime`, called once a millisecond: under load many lines share one. */
function isoTimestamps(): () => string {
  let formattedAt = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== formattedAt) {
      formattedAt = now;
      text = stdTimeFunctions.isoTime();
    }
    return text;
  };
}

/** How much is kept while the output is not read, in bytes; more than that is dropped. */
const backlogBytes = 2 ** 24;

/** How much is buffered before it is written, in bytes, and for how long, in milliseconds. */
const bufferBytes = 65_536;
const flushMs = 100;

/** The delay before a failed write is retried, in milliseconds. */
const retryMs = 10;

const writeAsync = promisify(write);

/**
 * Creates a writer of lines to a descriptor of `openOutput`, in order, without ever blocking on its reader. Why neither pino's own destination nor a stream of Node.js does this is
 * in decision 22.
 *
 * @param chunkBytes the most that one write has, which ends with a line; a longer line has a write of its own
 */
export function createOutputWriter(descriptor: number, chunkBytes = bufferBytes) {
  /** The lines of the next chunk, until no more fit in. */
  let lines = '';
  /** The chunks to write; of the first one, what is left. */
  let queue: Buffer[] = [];
  let keptBytes = 0;
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
    // Its length is that in characters, which costs less to know; beyond ASCII, one has several bytes.
    if (chunk.length <= chunkBytes) queue.push(chunk);
    else queue.push(...lines.split(/(?<=\n)/).map((line) => Buffer.from(line)));
    keptBytes += chunk.length - lines.length;
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
      // Whoever ended it may have closed the descriptor, whose number another file or connection then has.
      if (ended) return;
      if ('bytesWritten' in result) remove(first, result.bytesWritten);
      else if (isBroken(result.error)) dropQueue();
      else await sleep(retryMs, undefined, { ref: false });
      if (ended) return;
    }
    writing = undefined;
  }

  function remove(first: Buffer, bytes: number): void {
    keptBytes -= bytes;
    if (bytes < first.length) queue[0] = first.subarray(bytes);
    else queue.shift();
  }

  function dropQueue(): void {
    queue = [];
    keptBytes = lines.length;
  }

  function stop(): void {
    ended = true;
    clearInterval(timer);
  }

  return {
    /** Buffers a line, to be written with others; drops it while 16 MiB are not written. */
    write(line: string): void {
      if (ended || keptBytes + line.length > backlogBytes) return;
      if (lines.length + line.length > chunkBytes) queueLines();
      lines += line;
      keptBytes += line.length;
      if (keptBytes >= bufferBytes) writeQueue();
    },
    /** Resolves once everything is written, or after the timeout, in milliseconds; what is not written by then is dropped. */
    async end(timeoutMs: number): Promise<void> {
      flush();
      if (writing !== undefined) await withTimeout(writing, timeoutMs, () => undefined);
      stop();
    },
    /** The same without the event loop, for a process that crashes: later lines are dropped. */
    endSync(timeoutMs: number): void {
      const deadline = performance.now() + timeoutMs;
      queueLines();
      stop();
      // The write in flight goes on in another thread, and must not be done twice. Nothing tells that it has ended: what follows it waits.
      if (isInFlight) {
        queue.shift();
        pause(Math.min(flushMs, timeoutMs));
      }
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        try {
          remove(first, writeSync(descriptor, first));
        } catch (error) {
          if (isBroken(error) || performance.now() >= deadline) return;
          pause(retryMs);
        }
      }
    },
  };
}

/** Blocks the thread, for a time in milliseconds. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Whether the reader has gone away for good, or the descriptor is closed. Other errors may pass: a full pipe, a full disk. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'EBADF');
}

/**
 * A descriptor of standard output on which no write blocks.
 *
 * A write that blocks occupies a thread, and the process cannot end before it. Node.js sets pipes and sockets to
 * non-blocking mode, but the mode is shared with every process that has the same output, and any of them may reset it
 * on exit; a terminal that is stopped (Ctrl-S) blocks writes, too. On Linux, pipes and terminals are opened again, with
 * a mode of their own. Files stay shared, since their descriptors share the position of the next write.
 */
function openOutput(): number {
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

const LineSchema = z.looseObject({ err: z.looseObject({ stack: z.string().optional() }).optional() });

/**
 * Returns a function that formats a line of the log for a person at a terminal: time, level, message, the other fields as JSON, and
 * below them the stack trace of an error. Control characters are escaped, since a terminal could take them as commands.
 */
export async function createTerminalFormat(): Promise<(line: string) => string> {
  // Loaded only for it. Of a CommonJS module the bundle has the default export alone.
  const { default: pinoPretty } = await import('pino-pretty');
  const pretty = pinoPretty.prettyFactory({
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    errorLikeObjectKeys: [],
  });
  return (line) => {
    const { err: { stack, ...error } = {}, ...fields } = LineSchema.parse(JSON.parse(line));
    const hasError = Object.keys(error).length > 0;
    // JSON leaves what is invisible beyond ASCII as it is; what is within sets the colors.
    const text = pretty({ ...fields, ...(hasError && { error }) }).replace(
      /[\u007f-\u{10ffff}]+/gu,
      escapeForTerminal,
    );
    return stack === undefined ? text : `${text}${escapeForTerminal(stack)}\n`;
  };
}
