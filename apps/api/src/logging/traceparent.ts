/** A span of a distributed trace, in lower-case hexadecimal. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
}

const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/**
 * Parses the header `traceparent` (W3C Trace Context, section 3.2).
 *
 * @returns the caller's span, or `undefined` where the header is not valid, and so must be ignored
 */
export function parseTraceparent(header: string): Span | undefined {
  const [, version, traceId, spanId, rest] = pattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  // Only later versions may append fields.
  return version === '00' && rest !== undefined ? undefined : { traceId, spanId };
}
