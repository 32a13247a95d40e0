import { Component, type ReactNode } from 'react';

/** Shown when a part of the page cannot be loaded, such as after the service was upgraded. */
export const notLoaded =
  'A part of this page could not be loaded: the network is away, or the service was upgraded. Reload the page; what you typed is kept.';

/** Keeps the rest of the page when a part of it cannot be loaded or shown, and says what to do. */
export class LoadBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override readonly state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="stack">
        <p role="alert" className="message problem">
          {notLoaded}
        </p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
