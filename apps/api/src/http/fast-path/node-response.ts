/**
 * Fields of Node's responses that its types leave out; all its lines that are supported have them. Who uses them takes
 * Node's own way where they are not as expected.
 */
export interface NodeResponse {
  /** The head as text, with its empty line, once it is written; `null` before. */
  _header?: string | null;
  readonly _headerSent?: boolean;
  readonly _hasBody?: boolean;
}
