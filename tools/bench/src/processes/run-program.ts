import { processEnd, startProcess } from './start-process.js';

/**
 * Runs a program to its end and returns its standard output.
 *
 * @throws when it fails or takes too long
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { environment = {}, timeoutMs }: { environment?: Readonly<Record<string, string>>; timeoutMs: number },
): Promise<string> {
  const child = startProcess(file, args, { environment, stdout: 'pipe', stderr: 'pipe' });
  let output = '';
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let errorOutput = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput += text;
  });
  await processEnd(child, timeoutMs);
  await closed;
  if (child.exitCode !== 0)
    throw new Error(`${file} ${args[0] ?? ''} ended with status ${child.exitCode}:\n${errorOutput}`);
  return output;
}
