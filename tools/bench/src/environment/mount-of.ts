/** The type of the file system of a folder, from the text of Linux's `/proc/mounts`; `unknown` without it. */
export function mountOf(folder: string, mounts: string): string {
  const candidates = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, point, type]) => (point !== undefined && type !== undefined ? [{ point, type }] : []))
    .filter(({ point }) => point === '/' || folder === point || folder.startsWith(`${point}/`));
  const innermost = candidates.reduce<{ point: string; type: string } | undefined>(
    (best, next) => (best === undefined || next.point.length >= best.point.length ? next : best),
    undefined,
  );
  return innermost?.type ?? 'unknown';
}
