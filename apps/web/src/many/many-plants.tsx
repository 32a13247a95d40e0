/** The tab "Many plants". */
export function ManyPlants(_: { readonly token: string; onTokenRejected(message: string): void }) {
  return <h2>Many plants</h2>;
}
