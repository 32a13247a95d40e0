/** The tab "One plant". */
export function OnePlant(_: { readonly token: string; onTokenRejected(message: string): void }) {
  return <h2>One plant</h2>;
}
