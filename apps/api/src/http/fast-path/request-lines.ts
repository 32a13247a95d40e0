import { type Logger, symbols } from 'pino';

/** What is logged of a request; what is `undefined` is left out. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly error: number | undefined;
  readonly tokenId: number | undefined;
  /** The id of the plant as text, since log readers round large numbers. */
  readonly plantId: string | undefined;
  readonly durationMs: number;
}

/** A log that takes nothing but the lines of requests. */
export interface RequestLines {
  info(line: RequestLine, message: string): void;
}

/**
 * A log for the lines of requests, which come out as pino would write them to the given one, and wherever that writes.
 * Pino looks at each field of whatever it is given; of these lines all fields are known, which takes half the time.
 */
export function requestLines(log: Logger): RequestLines {
  return Object.create(log, {
    [symbols.asJsonSym]: {
      value(line: RequestLine, message: string, level: number, time: string) {
        return `{"level":${level}${time}${this[symbols.chindingsSym]}${fields(line)},"msg":${quote(message)}}\n`;
      },
    },
  });
}

function fields({
  requestId,
  method,
  path,
  status,
  error,
  tokenId,
  plantId,
  durationMs,
}: RequestLine): string {
  let text = `,"requestId":${quote(requestId)},"method":${quote(method)},"path":${quote(path)}`;
  if (status !== undefined) text += `,"status":${status}`;
  if (error !== undefined) text += `,"error":${error}`;
  if (tokenId !== undefined) text += `,"tokenId":${tokenId}`;
  if (plantId !== undefined) text += `,"plantId":${quote(plantId)}`;
  return `${text},"durationMs":${durationMs}`;
}

/** A text as JSON. Most are as they stand: printable ASCII without a quote or a backslash. */
function quote(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
