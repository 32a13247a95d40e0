/** A file that the browser was asked to save. */
export interface SavedFile {
  readonly url: string;
  readonly name: string;
}

/**
 * Lets the browser save a file, as if a link to it had been followed. No browser reports whether it did: one may be set to refuse.
 *
 * @returns what `SavedFileLink` offers, until it is shown no more
 */
export function saveFile(file: Blob, name: string): SavedFile {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  return { url, name };
}
