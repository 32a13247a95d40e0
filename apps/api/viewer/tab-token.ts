/** Where the page keeps its token (`apps/web/src/shared/tab-storage.ts`), as JSON, below a prefix with that. */
const path = location.pathname.replace(/[^/]*$/, '');
const key = `plant-store.token${path === '/' ? '' : ` ${path}`}`;

/** Returns the access token of the page that was in this tab before; `undefined` without one. */
export function readTabToken(): string | undefined {
  try {
    const token: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch {
    // The browser blocks the storage, or another version has kept something else.
    return undefined;
  }
}
