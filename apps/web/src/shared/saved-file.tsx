import { useEffect } from 'react';

/** A file that the browser was asked to save. */
export interface SavedFile {
  readonly url: string;
  readonly name: string;
}

/**
 * Downloads a file. Browsers do not report whether they saved it, and can block downloads, so show a `SavedFileLink` afterward.
 *
 * @returns the file, valid until its `SavedFileLink` is unmounted
 */
export function saveFile(file: Blob, name: string): SavedFile {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  return { url, name };
}

/** How long the file stays after its link is unmounted. Some browsers only read the file after they ask where to save it. */
const revokeDelayMs = 60_000;

/** A link to a file that the browser might have refused to save. */
export function SavedFileLink({ file: { url, name } }: { readonly file: SavedFile }) {
  useEffect(() => {
    // In a development build, effects run twice.
    clearTimeout(revocations.get(url));
    return () => {
      revocations.set(
        url,
        setTimeout(() => URL.revokeObjectURL(url), revokeDelayMs),
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

const revocations = new Map<string, ReturnType<typeof setTimeout>>();
