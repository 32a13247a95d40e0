import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { routes } from '@plant-store/contract/routes';
import type { AccessTokens } from '../auth/access-tokens.js';

/**
 * Gives the access token of the quickstart: the one in the file while it is valid, otherwise a new one, which is
 * written to the file for this user alone (0600).
 */
export async function ensureQuickstartToken(accessTokens: AccessTokens, file: string): Promise<void> {
  const kept = readTokenFile(file);
  if (kept !== undefined && (await accessTokens.verify(kept)).status === 'valid') return;
  const { text } = await accessTokens.issue({ name: 'quickstart' });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** What the quickstart prints: the address, and a `curl` to paste. The token stays in its file. */
export function describeQuickstart(baseUrl: string, tokenFile: string): string {
  const quotedFile = `'${tokenFile.replaceAll("'", `'\\''`)}'`;
  return `
Plant Store listens on ${baseUrl}
Its documentation is ${baseUrl}/docs, its access token in ${tokenFile}

Store a plant:

curl -i ${baseUrl}${routes.createPlant.path} -H "Authorization: Bearer $(cat ${quotedFile})" -H 'Content-Type: application/json' -d '{"id": 1, "name": "Monstera deliciosa", "tag": "houseplant"}'

`;
}

function readTokenFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
