import { Component, type ReactNode } from 'react';
import { adviseReload } from './tab-storage.js';

/** Shown when a part of the page cannot be loaded, such as after the service was upgraded. */
export const notLoaded = `A part of this page could not be loaded: the network is away, or the service was upgraded. ${adviseReload()}`;

const notShown = 'This part of the page has an error of its own. Reload the page, and report it if it stays.';

/** Loads a part of the page; that it cannot be loaded is an error of its own, so that it is not taken for another one. */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(notLoaded, { cause });
  }
}

/** Keeps the rest of the page when a part of it cannot be loaded or shown, and shows what to do. */
export class LoadBoundary extends Component<{ readonly children: ReactNode }, { readonly problem?: string }> {
  override readonly state: { readonly problem?: string } = {};

  static getDerivedStateFromError(error: unknown) {
    return { problem: error instanceof Error && error.message === notLoaded ? notLoaded : notShown };
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div className="stack">
        <p role="alert" className="message problem">
          {problem}
        </p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
