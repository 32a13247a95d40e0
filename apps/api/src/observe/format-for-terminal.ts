import { prettyFactory } from 'pino-pretty';
import * as z from 'zod';

const pretty = prettyFactory({
  translateTime: 'SYS:HH:MM:ss.l',
  singleLine: true,
  errorLikeObjectKeys: [],
});

const LineSchema = z.looseObject({ err: z.looseObject({ stack: z.string().optional() }).optional() });

/**
 * Formats a line of the log for a person at a terminal: time, level, message, the other fields as JSON, and below them the
 * stack trace of an error. Control characters are escaped, since a terminal could take them as commands.
 */
export function formatForTerminal(line: string): string {
  const { err: { stack, ...error } = {}, ...fields } = LineSchema.parse(JSON.parse(line));
  const hasError = Object.keys(error).length > 0;
  // JSON leaves the control characters beyond ASCII as they are.
  const text = pretty({ ...fields, ...(hasError && { error }) }).replace(/[\x7f-\x9f]/g, escapeControl);
  return stack === undefined ? text : `${text}${stack.replace(/[^\n\P{Cc}]/gu, escapeControl)}\n`;
}

function escapeControl(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
