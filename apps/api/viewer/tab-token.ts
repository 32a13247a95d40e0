/** Where the page keeps its token (`apps/web/src/token/stored-token.ts`), as JSON, below a prefix with that. */
const path = location.pathname.replace(/[^/]*$/, '');
const key = `plant-store.token${path === '/' ? '' : ` ${path}`}`;

/** Returns the access token of the page that was in this tab before, or that this device remembers; `undefined` without one. */
export function readTabToken(): string | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? 'null');
    const token: unknown = typeof kept === 'string' ? kept : Object(kept).token;
    return typeof token === 'string' && token !== '' ? token : undefined;
  } catch {
    // The browser blocks the storage, or another version has kept something else.
    return undefined;
  }
}
