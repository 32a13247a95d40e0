#!/usr/bin/env node
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type CliContext, commandNameOf, explainOutputError, reportFailure } from './cli/cli-context.js';
import { readPackage } from './package-folder.js';
import { requireNodeVersion } from './runtime/require-node-version.js';
import { stopTimeouts } from './runtime/timing.js';

/**
 * The command `plant-store`. Only this file reads the environment, handles signals, or ends the process. In a worker,
 * `cluster/run-worker.ts` handles signals, and `node:cluster` ends the process when the primary process ends.
 */

/**
 * How long a second signal counts as the first one, in milliseconds. npx and pnpm forward a signal that the terminal has already sent to
 * all processes.
 */
const sameSignalMs = 1_000;

/** A closed terminal sends SIGHUP. Without a terminal, SIGHUP replaces the workers, if there are any. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The text that clears the progress line; empty if standard error is not a terminal. */
const clearLine = process.stderr.isTTY ? '\r\x1b[K' : '';

// A command must not fail because its messages cannot be written. Errors on standard output are handled by `print`.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => undefined);

const context: CliContext = {
  commandName: commandNameOf(process.env),
  folder: process.cwd(),
  get input() {
    return process.stdin;
  },
  output: process.stdout,
  isTerminal: process.stdout.isTTY,
  print: (text) =>
    void process.stdout.write(text, (error) => {
      if (error) process.exitCode = reportFailure(explainOutputError(error), context);
    }),
  message: (text) =>
    new Promise((resolve) =>
      process.stderr.write(`${clearLine}${escapeForTerminal(text)}\n`, () => resolve()),
    ),
  showProgress: (text) => void (process.stderr.isTTY && process.stderr.write(`${clearLine}${text}`)),
  reportStarted: async () => (await import('./runtime/launcher.js')).notifySystemd(process.env),
  waitForStopSignal: ({ hangUp } = { hangUp: true }) =>
    new Promise((resolve) => {
      const names = stopSignals.filter((name) => hangUp || name !== 'SIGHUP');
      const onSignal = (signal: NodeJS.Signals) => {
        resolve(signal);
        // Only a later signal ends the process immediately.
        setTimeout(() => names.forEach((name) => void process.off(name, onSignal)), sameSignalMs).unref();
      };
      for (const name of names) process.on(name, onSignal);
    }),
  onHangUp: (listener) => void process.on('SIGHUP', listener),
  waitForParentExit: async () => (await import('./runtime/launcher.js')).watchLauncher().ended,
};

try {
  requireNodeVersion(process.versions.node);
  // Imported after the version check, because older versions of Node.js lack features that these modules need.
  const [{ runProgram }, { parseConfig }] = await Promise.all([
    import('./cli/program.js'),
    import('./config.js'),
  ]);
  await runProgram(process.argv.slice(2), {
    version: readPackage().version,
    context,
    readConfig: () => parseConfig(process.env, context.folder),
    environment: process.env,
    // A blocked write or a hanging database could otherwise keep the process running.
    onServiceStopped: () => void setTimeout(() => process.exit(), stopTimeouts.processMs).unref(),
  });
} catch (error) {
  process.exitCode = reportFailure(error, context);
}
