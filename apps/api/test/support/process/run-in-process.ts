import { Readable, Writable } from 'node:stream';
import { type CliContext, commandNameOf, reportFailure } from '../../../src/cli/cli-context.js';
import type { RecordTypes } from '../../../src/cli/formats.js';
import { runProgram } from '../../../src/cli/program.js';
import { parseConfig } from '../../../src/config.js';
import type { PostgresqlTimeouts } from '../../../src/store/database-location.js';
import { withTimeouts } from '../database/create-test-database.js';
import { temporaryFolder } from '../temporary-folder.js';
import type { Call, Result } from './run-command.js';

/** As for a process of its own, and what differs from the defaults. */
interface CallInProcess extends Omit<Call, 'openFiles'> {
  /** How long it waits for PostgreSQL. */
  readonly timeouts?: Partial<PostgresqlTimeouts>;
  /** Resolves with the signal that stops it. */
  readonly signal?: Promise<NodeJS.Signals>;
  /** Resolves once its output is read. */
  readonly reading?: Promise<void>;
  readonly isTerminal?: boolean;
  /** The resources that it knows, if they are not those of the service. */
  readonly types?: RecordTypes | undefined;
}

/**
 * Runs `plant-store` as `runCommand` does, but in this process and from its sources: where neither signals nor the streams
 * of a process matter. The flags of V8 stay those of the test.
 */
export async function runInProcess(
  args: readonly string[],
  {
    folder,
    environment = {},
    input = Readable.from([]),
    timeouts = {},
    signal = new Promise(() => undefined),
    reading = Promise.resolve(),
    isTerminal = false,
    types,
  }: CallInProcess,
): Promise<Result> {
  const settings = { FAST_PATH: 'off', ...environment };
  let stdout = '';
  let stderr = '';
  const context: CliContext = {
    commandName: commandNameOf(environment),
    folder,
    input,
    output: new Writable({
      write(chunk: Buffer, _encoding, done) {
        stdout += chunk.toString();
        void reading.then(() => done());
      },
    }),
    isTerminal,
    print(text) {
      stdout += text;
    },
    async message(text) {
      stderr += `${text}\n`;
    },
    showProgress: () => undefined,
    reportStarted: async () => undefined,
    waitForStopSignal: () => signal,
    onHangUp: () => undefined,
    waitForParentExit: () => new Promise(() => undefined),
  };
  try {
    await runProgram(args, {
      version: '0.0.0',
      context,
      readConfig: () => withTimeouts(parseConfig(settings, folder), timeouts),
      environment: settings,
      onServiceStopped: () => undefined,
      ...(types && { types }),
    });
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    return { exitCode: reportFailure(error, context), stdout, stderr };
  }
}

/**
 * Returns a function that does so in a folder, with a command line whose words have single spaces between them, and with
 * what it reads from its standard input.
 */
export function useCommands(
  environment: Readonly<Record<string, string>> = {},
  folder = temporaryFolder(),
  types?: RecordTypes,
) {
  function run(line: string, content: string | Readable = '') {
    const input = typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content;
    return runInProcess(line.split(' '), { folder, environment, input, types });
  }
  return { folder, run };
}
