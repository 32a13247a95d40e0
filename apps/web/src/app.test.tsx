import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { App } from './app.js';
import { queryOptions } from './query-options.js';

it('asks for the token first', () => {
  render(
    <QueryClientProvider client={new QueryClient(queryOptions)}>
      <App tokenFromAddress={undefined} />
    </QueryClientProvider>,
  );
  expect(screen.getByRole('button', { name: 'Use token' })).toBeDefined();
  expect(screen.queryByRole('tab')).toBeNull();
});
