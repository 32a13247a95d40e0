// Runs a command, and prints its output only if it fails; on a terminal one line shows that something is in progress.
// The exit status is that of the command. Signals are passed on to it, and it is ended when the npx that it was started
// with has ended.
//   node .ci/run-quietly.ts <what it does> <command> [argument…]
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { watchLauncher } from '../apps/api/src/runtime/launcher.ts';

/** How long a command may take before the line is shown, in milliseconds: most have nothing to do. */
const shownAfterMs = 700;

/** The exit status when npx has ended: that of a command which a SIGTERM has ended. */
const endedByNpx = 128 + constants.signals.SIGTERM;

const [title = '', command = '', ...args] = process.argv.slice(2);
const output: Buffer[] = [];
const startedAt = performance.now();
const child = spawn(command, args, {
  stdio: ['ignore', 'pipe', 'pipe'],
  // Turborepo announces on its first run that it reports usage. Nobody would see that, so it must not report.
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
});
for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));

const progress = setInterval(showProgress, 1_000);
const firstProgress = setTimeout(showProgress, shownAfterMs);
let received: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop(signal));
}
// What follows, such as a service, must not be started then.
const starting = watchLauncher();
void starting.ended.then(() => stop('SIGTERM'));

child.on('error', (error) => output.push(Buffer.from(`${title}: ${error.message}\n`)));
child.on('close', (status, signal) => {
  const cause = received ?? signal;
  // As shells report a signal; the output of what was interrupted is no error.
  if (cause !== null) end(128 + constants.signals[cause]);
  else if (status === 0) void starting.haveEnded().then((ended) => end(ended ? endedByNpx : 0));
  // Negative where it could not be started.
  else end(status === null || status < 0 ? 127 : status, Buffer.concat(output));
});

function stop(signal: NodeJS.Signals): void {
  received = signal;
  child.kill(signal);
}

function showProgress(): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\x1b[K${title} … ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

/** Ends the process once everything is written. */
function end(status: number, text: string | Uint8Array = ''): void {
  clearInterval(progress);
  clearTimeout(firstProgress);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  process.exitCode = status;
  process.stderr.write(text);
}
