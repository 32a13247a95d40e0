import * as z from 'zod';

/**
 * The origins in a comma-separated list. Only the spelling that browsers send is accepted, since origins are compared
 * exactly.
 */
export function toOrigins(list: string, context: z.RefinementCtx): string[] {
  const origins = list === '' ? [] : list.split(',').map((origin) => origin.trim());
  const invalid = origins.find((origin) => !isOrigin(origin));
  if (invalid === undefined) return origins;
  context.addIssue(
    `must be origins separated by commas, each http(s)://host or http(s)://host:port as browsers send it, \
such as https://app.example.com, without a path, a final slash or *; "${invalid}" is not`,
  );
  return z.NEVER;
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
