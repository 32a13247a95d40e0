import { type ChildProcess, fork } from 'node:child_process';
import { OperatorError } from '../errors/operator-error.js';
import { listeningDescriptor, type PrimaryCalls, type WorkerCalls } from './calls.js';
import { type Channel, createChannel } from './channel.js';

/** A process that serves requests. */
export interface WorkerProcess {
  /** Its process id; 0 if it could not be started. */
  readonly pid: number;
  readonly calls: Channel<WorkerCalls>;
  isRunning(): boolean;
  /** Resolves once it has ended: with its exit status, or the signal that ended it. */
  readonly ended: Promise<WorkerExit>;
  /** Lets it end by itself, since it has stopped; a process that has not is stopped at once. */
  disconnect(): void;
  /** Ends it now. */
  kill(): void;
}

/** How a process has ended. */
export interface WorkerExit {
  readonly status: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

/** How the processes of workers are started. */
export interface WorkerProgram {
  /** The file that they run; by default that of this process. */
  readonly file?: string;
  /** Called with what a worker writes to its standard output; by default that is the standard output of this process. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/**
 * Starts the process of a worker, which waits for its `start` call.
 *
 * @param descriptor of the socket whose connections it accepts
 */
export function forkWorker(
  calls: PrimaryCalls,
  descriptor: number,
  { file, onOutput }: WorkerProgram,
): WorkerProcess {
  const output = onOutput === undefined ? 'inherit' : 'pipe';
  const stdio: (number | 'inherit' | 'pipe' | 'ipc')[] = ['inherit', output, output, 'ipc'];
  stdio[listeningDescriptor] = descriptor;
  const child = fork(file ?? process.argv[1] ?? '', ['worker'], {
    ...(file !== undefined && { execArgv: [] }),
    // So that ids stay exact: JSON has no bigint.
    serialization: 'advanced',
    stdio,
  });
  if (onOutput !== undefined) {
    child.stdout?.on('data', onOutput);
    child.stderr?.pipe(process.stderr);
  }
  const channel = createChannel<WorkerCalls>(child, calls);
  const ended = awaitEnd(child);
  void ended.then((exit) => channel.close(new OperatorError(describeEnd(exit))));
  return {
    pid: child.pid ?? 0,
    calls: channel,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    disconnect: () => void (child.connected && child.disconnect()),
    kill: () => void child.kill('SIGKILL'),
  };
}

function awaitEnd(child: ChildProcess): Promise<WorkerExit> {
  return new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    // Any other error is that a message did not reach a process that is ending.
    child.on('error', (error) => child.pid === undefined && resolve({ status: null, signal: null, error }));
  });
}

function describeEnd({ status, signal, error }: WorkerExit): string {
  if (error !== undefined) return `A worker could not be started: ${error.message}.`;
  return `The worker ended with ${signal ?? `status ${status}`}.`;
}
