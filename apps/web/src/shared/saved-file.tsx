import { useEffect } from 'react';

/** A file that the browser was asked to save. */
export interface SavedFile {
  readonly url: string;
  readonly name: string;
}

/**
 * Lets the browser save a file, as if a link to it had been followed. No browser reports whether it did: one may be set to refuse.
 *
 * @returns the file for `SavedFileLink`, valid until that is no longer shown
 */
export function saveFile(file: Blob, name: string): SavedFile {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  return { url, name };
}

/** How long the file stays after its link is gone, in milliseconds, because some browsers only read it after asking where to save it. */
const keptMs = 60_000;

/** A link to a file that the browser may have refused to save. */
export function SavedFileLink({ file: { url, name } }: { readonly file: SavedFile }) {
  useEffect(() => {
    // Effects of a development build run twice.
    clearTimeout(revoking.get(url));
    return () => {
      revoking.set(
        url,
        setTimeout(() => URL.revokeObjectURL(url), keptMs),
      );
    };
  }, [url]);
  return (
    <span className="saved-file">
      <span>Download did not start? Save</span>{' '}
      <a href={url} download={name} translate="no">
        {name}
      </a>
    </span>
  );
}

const revoking = new Map<string, ReturnType<typeof setTimeout>>();
