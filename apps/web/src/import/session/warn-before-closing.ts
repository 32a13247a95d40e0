function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Whether the browser asks before it closes the page. Independent of what is shown, so that forgetting the token keeps it. */
export function warnBeforeClosing(active: boolean): void {
  if (active) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
}
