import { int64Members } from '@plant-store/contract/routes';

/** An int64, or a list of them, with its name. Behind a brace or a comma a quote is not escaped, so this is not in a string. */
const written = new RegExp(
  `([{,]\\s*"(?:${int64Members.join('|')})"\\s*:\\s*)(\\[[^"\\]]*]|-?(?:0|[1-9]\\d*)(?!\\d))`,
  'g',
);

/**
 * Parses the body of a reply, in which each int64 is given exactly as a `bigint`, also in a list.
 *
 * @throws {SyntaxError} when it is not JSON, or an int64 is in another notation
 */
export function parseReply(text: string): unknown {
  // `JSON.parse` would round them. With more than digits, a number is then no JSON.
  const quoted = text.replace(written, (_, name: string, value: string) =>
    value.startsWith('[') ? name + value.replace(/-?(0|[1-9]\d*)/g, '"$&"') : `${name}"${value}"`,
  );
  return readInt64s(JSON.parse(quoted));
}

/** Reads each int64 within a value, in its place. A reviver, which is called for each value, would take three times as long for a list. */
function readInt64s(value: unknown): unknown {
  if (Array.isArray(value)) for (const item of value) readInt64s(item);
  else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name in members) {
      const member = members[name];
      if (!int64Names.has(name)) readInt64s(member);
      else members[name] = Array.isArray(member) ? member.map(readInt64) : readInt64(member);
    }
  }
  return value;
}

const int64Names: ReadonlySet<string> = new Set(int64Members);

const readInt64 = (value: unknown) => (typeof value === 'string' ? BigInt(value) : readInt64s(value));
