import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the parser of a connection has, none of it documented. */
interface Parser {
  readonly constructor: { readonly kOnExecute?: number };
  readonly incoming?: (IncomingMessage & { readonly upgrade?: boolean | null }) | null;
  getCurrentBuffer(): Buffer;
  /** Parses bytes and returns how many it has parsed, or what is wrong with them. */
  execute(bytes: Buffer): number | Error;
  /** Called with the result each time bytes that were read have been parsed. */
  [onExecute: number]: (result: number | Error) => void;
}

/** Parsers serve one connection after the other, and lose the change in between. */
const changed = new WeakSet<Socket>();

/**
 * Lets the parser continue behind a request that asks for another protocol, which the service ignores (RFC 9110, section 7.8). Node.js's
 * parser stops behind it and drops the bytes that were read together with it: the requests that follow would get no reply.
 */
export function parseBehindUpgrade({ headers, socket }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade === undefined) return;
  const { parser } = socket as { parser?: Parser | null };
  const onExecute = parser?.constructor.kOnExecute;
  if (!parser || onExecute === undefined) {
    // A client sends again what follows the last reply of a connection.
    response.shouldKeepAlive = false;
    return;
  }
  if (changed.has(socket)) return;
  changed.add(socket);
  const proceed = parser[onExecute];
  parser[onExecute] = (result) => {
    let latest = result;
    let rest = typeof result === 'number' ? parser.getCurrentBuffer().subarray(result) : none;
    // What follows a CONNECT is not HTTP.
    while (rest.length > 0 && !parser.incoming?.upgrade) {
      latest = parser.execute(rest);
      // Behind an upgrade it reports no error, and parses nothing any more.
      if (latest === 0) latest = Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_REQUEST' });
      rest = typeof latest === 'number' ? rest.subarray(latest) : none;
    }
    proceed?.(latest);
  };
}

const none = Buffer.alloc(0);
