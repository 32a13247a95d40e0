import { useEffect } from 'react';
import type { SavedFile } from './save-file.js';

/** How long the file stays after the link to it has gone, in milliseconds: some browsers read it only after they asked where to save it. */
const keptMs = 60_000;

/** The way to a file that the browser may have refused to save. */
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
      <span>Not among your downloads? Save</span>{' '}
      <a href={url} download={name} translate="no">
        {name}
      </a>
    </span>
  );
}

const revoking = new Map<string, ReturnType<typeof setTimeout>>();
