const keptMs = 60_000;

/** Lets the browser save a file, as if a link to it had been followed. */
export function saveFile(file: Blob, fileName: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Some browsers read the file only after they have asked where to save it.
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}
