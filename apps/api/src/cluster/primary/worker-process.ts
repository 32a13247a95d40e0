import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { OwnPrimaryCalls, PrimaryCalls, WorkerCalls } from '../calls.js';
import { type Channel, createChannel } from '../channel/create-channel.js';
import { openProcessPort } from '../channel/process-port.js';
import type { ConnectionReceiver } from '../connections/accept-connections.js';
import { createConnectionPassage } from '../connections/pass-connection.js';

/** A process that serves requests. */
export interface WorkerProcess extends ConnectionReceiver {
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
 * @param passElsewhere called with a connection that it did not get, since it had ended
 */
export function forkWorker(
  calls: PrimaryCalls,
  passElsewhere: (socket: Socket) => void,
  { file, onOutput }: WorkerProgram,
): WorkerProcess {
  cluster.setupPrimary({
    ...(file !== undefined && { exec: file }),
    args: ['worker'],
    execArgv: file === undefined ? process.execArgv : [],
    // So that ids stay exact: JSON has no bigint.
    serialization: 'advanced',
    silent: onOutput !== undefined,
  });
  const worker = cluster.fork();
  if (onOutput !== undefined) {
    worker.process.stdout?.on('data', onOutput);
    worker.process.stderr?.pipe(process.stderr);
  }
  const passage = createConnectionPassage(worker.process, passElsewhere);
  const ownCalls: OwnPrimaryCalls = { ...calls, confirmConnection: passage.confirm };
  const channel = createChannel<WorkerCalls>(openProcessPort(worker.process), ownCalls);
  const ended = awaitEnd(worker);
  void ended.then(() => {
    channel.close(new Error('The worker has ended'));
    passage.end();
  });
  return {
    pid: worker.process.pid ?? 0,
    calls: channel,
    passConnection: passage.pass,
    ended,
    isRunning: () => worker.process.exitCode === null && worker.process.signalCode === null,
    disconnect: () => void (worker.process.connected && worker.process.disconnect()),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

function awaitEnd({ process: child }: Worker): Promise<WorkerExit> {
  return new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    // Any other error is that a message did not reach a process that is ending.
    child.on('error', () => child.pid === undefined && resolve({ status: null, signal: null }));
  });
}
