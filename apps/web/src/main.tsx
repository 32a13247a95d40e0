import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { queryOptions } from './query-options.js';
import './styles/page.css';
import { takeTokenFromAddress } from './token/take-token-from-address.js';

// First of all, so that the token is in the address no longer than it takes to load this file.
const tokenFromAddress = takeTokenFromAddress(window);

const container = document.getElementById('page');
if (container === null) throw new Error('index.html has no element "page".');
createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient(queryOptions)}>
      <App tokenFromAddress={tokenFromAddress} />
    </QueryClientProvider>
  </StrictMode>,
);
