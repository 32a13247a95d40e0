/**
 * Undocumented fields of Node's responses, present in every supported version of Node.js. Code that uses them falls back
 * to documented calls where their values are not as expected.
 */
export interface NodeResponse {
  /** The head as text, with its empty line, after `writeHead`; `null` before. */
  _header?: string | null;
  readonly _headerSent?: boolean;
  readonly _hasBody?: boolean;
}
