import { Component, type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { adviseReload } from './page-storage.js';

/** The message when a part of the page cannot be loaded, for example after an upgrade of the service. */
export const notLoaded = `Part of this page did not load: the network is down, or the server was upgraded. ${adviseReload()}`;

const failedAdvice = `stopped working. ${adviseReload()} If this recurs, report this error:`;

/** Loads a part of the page. @throws {Error} with the message `notLoaded` if loading fails */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(notLoaded, { cause });
  }
}

interface LoadBoundaryProps {
  readonly children: ReactNode;
  /** The subject of the error message. */
  readonly what?: string;
}

/** If a part of the page fails to load or render, shows what happened and what to do instead. The rest of the page stays. */
export class LoadBoundary extends Component<LoadBoundaryProps, { readonly error?: Error }> {
  override readonly state: { readonly error?: Error } = {};

  static getDerivedStateFromError(thrown: unknown) {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render() {
    const { error } = this.state;
    const { children, what = 'This part of the page' } = this.props;
    if (error === undefined) return children;
    const isNotLoaded = error.message === notLoaded;
    return (
      <div className="stack">
        <p role="alert" className="message problem">
          {isNotLoaded ? notLoaded : `${what} ${failedAdvice}`}
        </p>
        {!isNotLoaded && <code translate="no">{`${error}`}</code>}
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}

/** Returns a component that is loaded when it is first shown. If loading fails, the rest of the page stays. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback?: ReactNode,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await loadPart(load) }));
  return (props) => (
    <LoadBoundary>
      <Suspense fallback={fallback}>
        <Part {...props} />
      </Suspense>
    </LoadBoundary>
  );
}
