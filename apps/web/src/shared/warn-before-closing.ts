/** Lets the browser ask before it closes the page, until the returned function is called. Independent of the view. */
export function warnBeforeClosing(): () => void {
  // A new listener for each call, so that no call ends the warning of another.
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener('beforeunload', warn);
  return () => window.removeEventListener('beforeunload', warn);
}
