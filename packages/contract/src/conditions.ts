/** The conditions of a request (RFC 9110, section 13.1), as in its headers. Conditions on times are not supported. */
export interface Conditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Entity tags in a list, which may have empty elements (RFC 9110, section 5.6.1), or `*`. A quoted `*` is probably a mistake for the
 * unquoted one, which has a different meaning.
 */
const entityTags =
  /^(?:\*|[\s,]*(?:W\/)?"(?:[^"*][^"]*|\*[^"]+)?"(?:\s*,[\s,]*(?:W\/)?"(?:[^"*][^"]*|\*[^"]+)?")*[\s,]*)$/;

/** Whether a text is a valid value of `If-Match`. */
export const isEntityTags = (text: string): boolean => entityTags.test(text);

/**
 * Evaluates the conditions of a request in the order of RFC 9110, section 13.2.2.
 *
 * @param tag the entity tag of the existing target of the request
 * @returns the first condition that is false; `undefined` if the request may proceed
 */
export function findFailedCondition(
  { 'if-match': match, 'if-none-match': noneMatch }: Conditions,
  tag: string,
): keyof Conditions | undefined {
  if (match !== undefined && !namesTag(match, tag)) return 'if-match';
  return noneMatch !== undefined && namesTag(noneMatch, tag) ? 'if-none-match' : undefined;
}

/**
 * Whether a list of entity tags, or `*`, names a tag, also as proxies change it. A proxy that compresses a reply makes its tag weak (nginx,
 * HAProxy), or appends what it did: `"…-gzip"` (Apache, Caddy), `"…--gzip"` (Jetty). Tags of this service have a fixed length, so they are
 * recognized in any of these forms (docs/decisions/0061-conditional-updates.md).
 */
function namesTag(tags: string, tag: string): boolean {
  if (tags.trim() === '*') return true;
  const own = tag.slice(1, -1);
  for (const [, sent = ''] of tags.matchAll(/"([^"]*)"/g)) {
    if (sent.startsWith(own) && !/^[\da-z]/i.test(sent.slice(own.length))) return true;
  }
  return false;
}
