// Runs a command, and prints its output only if it fails. On a terminal, one line shows the progress. Exits with the command's status.
// Forwards signals to the command, and stops it if the npx or pnpm that started this program has ended.
//   node .ci/run-quietly.ts <what it does> <command> [argument…]
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { watchLauncher } from '../apps/api/src/runtime/launcher.ts';

/** How long to wait before the progress line, in milliseconds. Most commands have nothing to do, and end sooner. */
const progressDelayMs = 700;

/** The exit status if npx has ended: as for a command that SIGTERM ended. */
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
const firstProgress = setTimeout(showProgress, progressDelayMs);
let received: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop(signal));
}
// If npx has ended, what follows this command, such as the service, must not start.
const launcher = watchLauncher();
void launcher.ended.then(() => stop('SIGTERM'));

child.on('error', (error) => output.push(Buffer.from(`${title}: ${error.message}\n`)));
child.on('close', (status, signal) => {
  const cause = received ?? signal;
  // As shells report a signal. Prints no output, because an interruption is not an error.
  if (cause !== null) end(128 + constants.signals[cause]);
  else if (status === 0) void launcher.haveEnded().then((ended) => end(ended ? endedByNpx : 0));
  // The status is negative if the command could not start.
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

/** Sets the exit status, and writes the text. The process ends once everything is written. */
function end(status: number, text: string | Uint8Array = ''): void {
  clearInterval(progress);
  clearTimeout(firstProgress);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  process.exitCode = status;
  process.stderr.write(text);
}
