#!/usr/bin/env node
import { escapeForTerminal } from '@plant-store/contract/escape-invisible';
import { type CliContext, commandNameOf, explainOutputError, reportFailure } from './cli/cli-context.js';
import { readPackage } from './package-folder.js';
import { requireNodeVersion } from './runtime/require-node-version.js';
import { stopTimeouts } from './runtime/timing.js';

/**
 * The command `plant-store`. The only file that reads the environment, handles signals, or ends the process; in a worker
 * `cluster/run-worker.ts` handles signals, and `node:cluster` ends it with its primary process.
 */

/**
 * A second signal within this time counts as the first, in milliseconds: npx and pnpm forward a signal that the terminal already sent to
 * all.
 */
const sameSignalMs = 1_000;

/** A closed terminal sends SIGHUP. Without a terminal, SIGHUP replaces the workers, if there are any. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Clears the progress line, on a terminal. */
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
    // Something such as a blocked write or a hanging database may keep the process running.
    onServiceStopped: () => void setTimeout(() => process.exit(), stopTimeouts.processMs).unref(),
  });
} catch (error) {
  process.exitCode = reportFailure(error, context);
}
