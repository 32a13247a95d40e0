import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { scopes } from '@plant-store/contract/access-token';
import { routes } from '@plant-store/contract/routes';
import type { TokenService, Verification } from '../auth/token-service.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';

/**
 * Ensures that the file holds a valid access token for the quickstart, the existing one or a new one, readable by this
 * user only (0600). A token is issued only once its file can be written.
 *
 * @returns the token
 * @throws {OperatorError} when the file cannot be read or written
 */
export async function ensureQuickstartToken(accessTokens: TokenService, file: string): Promise<string> {
  const existing = orExplain(file, () => readTokenFile(file));
  if (existing !== undefined && permitsAll(await accessTokens.verify(existing))) return existing;

  const draft = `${file}.${process.pid}`;
  orExplain(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
  });
  try {
    const { text } = await accessTokens.issue({ name: 'quickstart' });
    orExplain(file, () => {
      writeFileSync(draft, `${text}\n`);
      renameSync(draft, file);
    });
    return text;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Whether a token can be used for everything; one that was issued before there were scopes cannot. */
function permitsAll(verification: Verification): boolean {
  return (
    verification.status === 'valid' && (verification.token ?? verification).scopes.length === scopes.length
  );
}

/**
 * What the quickstart prints: the addresses, and a `curl` to paste, which reads the token from its file.
 *
 * @param pageToken the token that the page is opened with, in the fragment of its address, which browsers do not send;
 *   `undefined` where there is no page
 */
export function describeQuickstart(
  baseUrl: string,
  tokenFile: string,
  pageToken: string | undefined,
): string {
  const page = pageToken === undefined ? '' : `  page   ${baseUrl}/#token=${pageToken}\n`;
  return `
Plant Store listens on ${baseUrl}

${page}  API    ${baseUrl}/docs
  token  ${tokenFile}

Store a plant (docs/use/api.md has the command for a Windows terminal):

${createCurl(baseUrl, `$(cat ${quote(tokenFile)})`)}

`;
}

/** A text quoted for a shell. */
function quote(text: string): string {
  const quoteWithin = String.raw`'\''`;
  return `'${text.replaceAll("'", quoteWithin)}'`;
}

function readTokenFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function orExplain<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw new OperatorError(
      `The access token's file ${file} cannot be used: ${messageOf(error)}\nLet this user read and write it, or start in another folder.`,
      { cause: error },
    );
  }
}

/**
 * A `curl` that stores a plant, on one line, for a POSIX shell.
 *
 * @param baseUrl the URL of the service, such as `http://127.0.0.1:3000`
 * @param token what the shell replaces by the access token, within double quotes, such as `$TOKEN`
 */
export function createCurl(baseUrl: string, token: string): string {
  const plant = '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}';
  return `curl -i ${baseUrl}${routes.createPlant.path} -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '${plant}'`;
}
