// Runs a command, and ends it with status 1 when it has printed nothing for some minutes; the processes that it is in are printed then.
// The exit status is otherwise that of the command. Signals are passed on to it.
//   node .ci/limit-silence.ts <minutes> <command> [argument…]
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { killDescendants, listDescendants } from './processes.ts';

const [minutes = '', command = '', ...args] = process.argv.slice(2);
const limitMs = 60_000 * Number(minutes);
if (!(limitMs > 0) || command === '') {
  console.error('node .ci/limit-silence.ts <minutes> <command> [argument…]');
  process.exit(2);
}

const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'] });
let lastAt = performance.now();
for (const [source, target] of [
  [child.stdout, process.stdout],
  [child.stderr, process.stderr],
] as const) {
  source.on('data', () => {
    lastAt = performance.now();
  });
  source.pipe(target);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));

const watch = setInterval(
  () => {
    if (performance.now() - lastAt < limitMs) return;
    const running = listDescendants(process.pid).map(({ command }) => `  ${command.slice(0, 200)}`);
    console.error(`Nothing was printed for ${minutes} minutes, so this ends:\n${running.join('\n')}`);
    killDescendants(process.pid);
    process.exit(1);
  },
  Math.min(1_000, limitMs / 4),
);

child.on('error', ({ message }) => {
  console.error(`${command}: ${message}`);
  process.exit(127);
});
child.on('close', (status, signal) => {
  clearInterval(watch);
  process.exitCode = signal === null ? (status ?? 1) : 128 + constants.signals[signal];
});
