import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AddPlant } from './add-plant';
import { Plants } from './plants';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <main>
        <h1>Plants</h1>
        <AddPlant />
        <Plants />
      </main>
    </QueryClientProvider>
  </StrictMode>,
);
