import { useState } from 'react';
import { loadPart } from '../shared/load-boundary.js';
import type { SignInSettings } from './sign-in-settings.js';
import type { StorageArea } from './stored-token.js';

interface SignInButtonProps {
  readonly settings: SignInSettings;
  readonly area: StorageArea;
  /** Whether to sign in in a new tab, so that this page stays unchanged. */
  readonly isInNewTab: boolean;
}

/** Starts a sign-in at the identity provider, which redirects back to the page. */
export function SignInButton({ settings, area, isInNewTab }: SignInButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const signIn = async () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { beginSignIn, explainSignIn } = await loadPart(() => import('./sign-in.js'));
      await beginSignIn(settings, { isRemembered: area === 'device', isInNewTab }).catch((error) =>
        setProblem(explainSignIn(error)),
      );
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  if (!isSecureContext)
    return (
      <p className="message problem">
        To sign in, open this page over HTTPS. You can also paste a token here.
      </p>
    );
  return (
    <>
      {problem !== undefined && (
        <p role="alert" className="message problem">
          {problem}
        </p>
      )}
      <div className="submit-row">
        <button
          type="button"
          className="primary"
          aria-disabled={isBusy}
          data-busy={isBusy || undefined}
          onClick={() => void signIn()}
        >
          Sign in
        </button>
      </div>
    </>
  );
}
