/** A reviver with the source text of a value, where the engine gives it (ECMAScript 2026). */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Whether the engine gives revivers the source text: Node.js 22, and browsers since 2025. */
const hasSource = parse('1', (_, value, context) => context?.source ?? value) === '1';

/**
 * Parses the body of a reply, in which each member `id` is an int64, given exactly as a `bigint`.
 *
 * @throws {SyntaxError} when it is not JSON
 */
export function parseReply(text: string): unknown {
  if (!text.includes('"id"')) return JSON.parse(text);
  return parse(hasSource ? text : quoteIds(text), (name, value, context) =>
    name === 'id' && isInteger(value) ? BigInt(context?.source ?? (value as string)) : value,
  );
}

function isInteger(value: unknown): boolean {
  return hasSource ? typeof value === 'number' : /^-?\d+$/.test(String(value));
}

/** Puts the value of each member `id` into quotes, so that `JSON.parse` does not round it. What is in a string is left alone. */
function quoteIds(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")(\s*:\s*)?(-?\d+(?=\s*[,}]))?/g, (match, name, colon, digits) =>
    name === '"id"' && colon && digits ? `${name}${colon}"${digits}"` : match,
  );
}
