/** Lets the browser ask before it closes the page, until what is returned is called. Independent of what is shown. */
export function warnBeforeClosing(): () => void {
  // Of its own for each call, so that none ends the warning of another.
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', warn);
  return () => window.removeEventListener('beforeunload', warn);
}
