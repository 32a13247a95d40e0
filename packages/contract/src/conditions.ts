/** The conditional headers of a request (RFC 9110, section 13.1). Headers that compare times are not supported. */
export interface Conditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Matches a list of entity tags, which can have empty elements (RFC 9110, section 5.6.1), or `*`. Does not match a quoted `*`, which is
 * probably a mistake.
 */
const entityTags =
  /^(?:\*|[\s,]*(?:W\/)?"(?:[^"*][^"]*|\*[^"]+)?"(?:\s*,[\s,]*(?:W\/)?"(?:[^"*][^"]*|\*[^"]+)?")*[\s,]*)$/;

/** Whether a text is a valid value of `If-Match`. */
export const isEntityTags = (text: string): boolean => entityTags.test(text);

/**
 * Evaluates the conditions of a request in the order of RFC 9110, section 13.2.2.
 *
 * @param tag the target's current entity tag
 * @returns the first condition that is false; `undefined` if the request may proceed
 */
export function findFailedCondition(
  { 'if-match': match, 'if-none-match': noneMatch }: Conditions,
  tag: string,
): keyof Conditions | undefined {
  if (match !== undefined && !includesTag(match, tag)) return 'if-match';
  return noneMatch !== undefined && includesTag(noneMatch, tag) ? 'if-none-match' : undefined;
}

/**
 * Whether a list of entity tags, or `*`, includes a tag, even in a form that a proxy has changed. A proxy that compresses a reply makes its
 * tag weak (nginx, HAProxy), or appends a suffix: `"…-gzip"` (Apache, Caddy), `"…--gzip"` (Jetty). Tags of this service have a fixed
 * length, so all these forms can be recognized (docs/decisions/0061-conditional-updates.md).
 */
function includesTag(tags: string, tag: string): boolean {
  if (tags.trim() === '*') return true;
  const opaqueTag = tag.slice(1, -1);
  for (const [, sent = ''] of tags.matchAll(/"([^"]*)"/g)) {
    if (sent.startsWith(opaqueTag) && !/^[\da-z]/i.test(sent.slice(opaqueTag.length))) return true;
  }
  return false;
}
