import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { basePath } from './route.js';
import './styles/page.css';
import { loadPart } from './shared/load-boundary.js';
import { restoreSort } from './shared/sort-list.js';
import { openToken } from './token/open-token.js';
import { type SignInReply, takeSignInReply } from './token/pending-sign-ins.js';
import type { SignedIn } from './token/sign-in.js';
import { readSignInSettings, type SignInSettings } from './token/sign-in-settings.js';

// Runs first, so that the token is removed from the address as soon as this file is loaded.
const opened = openToken(window);

// Makes the icon path absolute, because browsers resolve it against the address, which changes with the view.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
if (icon !== null) icon.href = `${basePath}icon.svg`;

const reply = takeSignInReply(window);
restoreSort();
const settings = readSignInSettings();
const signingIn = reply && settings && finish(settings, reply);

const container = document.getElementById('page');
if (container === null) throw new Error('index.html has no element "page".');
if (opened !== 'loading_again') {
  createRoot(container).render(
    <StrictMode>
      <App tokenFromAddress={opened.token} signingIn={signingIn} />
    </StrictMode>,
  );
}

/** Completes the sign-in with the identity provider's reply, or returns why the sign-in failed. */
function finish(settings: SignInSettings, reply: SignInReply): Promise<SignedIn | string> | string {
  const { pending } = reply;
  if (pending === undefined) return 'Sign-in failed: it was not started in this tab.';
  return loadPart(() => import('./token/sign-in.js')).then(
    ({ finishSignIn, explainSignIn }) => finishSignIn(settings, reply, pending).catch(explainSignIn),
    (error: Error) => error.message,
  );
}
