import { render, screen } from '@testing-library/react';
import { lazy, Suspense } from 'react';
import { expect, it, vi } from 'vitest';
import { LoadBoundary } from './load-boundary.js';

it('says what to do when a part of the page cannot be loaded, and leaves the rest', async () => {
  // React reports the error there, too.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Part = lazy(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  render(
    <>
      <p>the rest</p>
      <LoadBoundary>
        <Suspense fallback="Loading">
          <Part />
        </Suspense>
      </LoadBoundary>
    </>,
  );
  expect((await screen.findByRole('alert')).textContent).toContain(
    'Reload the page; what you typed is kept.',
  );
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeDefined();
  expect(screen.getByText('the rest')).toBeDefined();
  vi.restoreAllMocks();
});
