/** A reviver with the source text of a value, where the engine gives it (ECMAScript 2026). */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Whether the engine gives revivers the source text: Node.js 22, and browsers since 2025, but not React Native's Hermes. */
const hasSource = parse('1', (_, value, context) => context?.source ?? value) === '1';

/** Begins what `quoteIds` has put into quotes, and no other string. */
const mark = '#';

/**
 * Parses the body of a reply, in which each member `id` is an int64, given exactly as a `bigint`.
 *
 * @throws {SyntaxError} when it is not JSON, or an id is a number in another notation
 */
export function parseReply(text: string): unknown {
  if (!text.includes('"id"')) return JSON.parse(text);
  return parse(hasSource ? text : quoteIds(text), (name, value, context) => {
    if (name !== 'id') return value;
    // Without its source text, a number that was not quoted may have been rounded.
    if (typeof value === 'number') return BigInt(context?.source ?? mark);
    return !hasSource && typeof value === 'string' && value[0] === mark ? BigInt(value.slice(1)) : value;
  });
}

/** Puts the value of each member `id` into quotes, so that `JSON.parse` does not round it. What is in a string is left alone. */
function quoteIds(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*")(\s*:\s*)?(-?(?:0|[1-9]\d*)(?=\s*[,}]))?/g,
    (match, name, colon, digits) =>
      name === '"id"' && colon && digits ? `${name}${colon}"${mark}${digits}"` : match,
  );
}
