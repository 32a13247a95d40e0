import { expect, it } from 'vitest';
import { createCurl } from '../../src/cli/token.js';
import { readPage } from '../support/read-markdown.js';

/** The only line of the code block of a language on the page of the API. */
function readCommand(language: string): string {
  const [, text = ''] =
    new RegExp(`\\n\`\`\`${language}\\n(.*)\\n\`\`\`\\n`).exec(readPage('docs/use/api.md')) ?? [];
  return text;
}

/** The URL and the plant of a command. */
function readRequest(command: string, body: string | undefined) {
  return { url: /http:\S+/.exec(command)?.[0], plant: JSON.parse(body ?? '') };
}

const printed = createCurl('http://127.0.0.1:3000', '$TOKEN');
const request = readRequest(printed, /-d '(.*)'$/.exec(printed)?.[1]);

it('the command for PowerShell sends what the printed curl sends', () => {
  const command = readCommand('powershell');
  // Within single quotes PowerShell changes nothing; `curl` is an alias of Invoke-WebRequest in Windows PowerShell 5.
  expect(readRequest(command, /-Body '([^']*)'$/.exec(command)?.[1])).toEqual(request);
  expect(command).not.toContain('curl');
});

it('the command for cmd.exe sends what the printed curl sends', () => {
  const command = readCommand('bat');
  // Programs read \" as a quotation mark (CommandLineToArgvW); single quotes and $(…) mean nothing there.
  const argument = /-d "((?:[^"\\]|\\")*)"$/.exec(command)?.[1];
  expect(readRequest(command, argument?.replaceAll('\\"', '"'))).toEqual(request);
  expect(command).not.toMatch(/['$]/);
});
