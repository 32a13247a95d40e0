import { NumberLiteral } from './number-literal.js';

/**
 * Whether two values that `parseExactJson` gives are the same: of one type, arrays with equal items in the same
 * order, objects with equal members in any order, numbers kept as written with the same text.
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (a instanceof NumberLiteral || b instanceof NumberLiteral) {
    return a instanceof NumberLiteral && b instanceof NumberLiteral && a.text === b.text;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && haveEqualItems(a, b);
  }
  return haveEqualMembers(a, b);
}

function haveEqualItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
}

type JsonObject = Readonly<Record<string, unknown>>;

// A name that `b` lacks gives `undefined` or a method of objects, neither of which JSON can equal.
function haveEqualMembers(a: JsonObject, b: JsonObject): boolean {
  const members = Object.entries(a);
  return (
    members.length === Object.keys(b).length && members.every(([name, value]) => isEqual(value, b[name]))
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
