/** Makes the browser ask before it closes the page. Returns a function that ends this. */
export function warnBeforeClosing(): () => void {
  // Each call adds a separate listener, so that ending one warning does not end another.
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', warn);
  return () => window.removeEventListener('beforeunload', warn);
}
