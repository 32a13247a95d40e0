import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import './styles/page.css';
import { openToken } from './token/open-token.js';

// First of all, so that the token is in the address no longer than it takes to load this file.
const opened = openToken(window);

const container = document.getElementById('page');
if (container === null) throw new Error('index.html has no element "page".');
if (opened !== 'loading_again') {
  createRoot(container).render(
    <StrictMode>
      <App tokenFromAddress={opened.token} />
    </StrictMode>,
  );
}
