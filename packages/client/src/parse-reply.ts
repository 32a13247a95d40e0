import { int64Members } from '@plant-store/contract/routes';

/** A reviver with the source text of a value, where the engine gives it (ECMAScript 2026). */
type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Whether the engine gives revivers the source text: Node.js 22, and browsers since 2025, but not React Native's Hermes. */
const hasSource = parse('1', (_, value, context) => context?.source ?? value) === '1';

const int64s = int64Members as readonly string[];

/** Begins what `quoteInt64s` has put into quotes, and no other string. */
const mark = '#';

/**
 * Parses the body of a reply, in which each int64 is given exactly as a `bigint`.
 *
 * @throws {SyntaxError} when it is not JSON, or an int64 is a number in another notation
 */
export function parseReply(text: string): unknown {
  return parse(hasSource ? text : quoteInt64s(text), (name, value, context) => {
    if (!int64s.includes(name)) return value;
    // Without its source text, a number that was not quoted may have been rounded.
    if (typeof value === 'number') return BigInt(context?.source ?? mark);
    return !hasSource && typeof value === 'string' && value[0] === mark ? BigInt(value.slice(1)) : value;
  });
}

/** Puts each int64 into quotes, so that `JSON.parse` does not round it. What is in a string is left alone. */
function quoteInt64s(text: string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:\s*)?(-?(?:0|[1-9]\d*)(?=\s*[,}]))?/g,
    (match, name, colon, digits) =>
      int64s.includes(name) && colon && digits ? `"${name}"${colon}"${mark}${digits}"` : match,
  );
}
