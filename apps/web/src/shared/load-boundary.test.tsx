import { render, screen } from '@testing-library/react';
import { lazy, Suspense } from 'react';
import { expect, it, vi } from 'vitest';
import { LoadBoundary, loadPart } from './load-boundary.js';

it('shows what to do when a part of the page cannot be loaded, and leaves the rest', async () => {
  // React reports the error there, too.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Part = lazy(() =>
    loadPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))),
  );
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

it('does not blame the network for an error of the part itself', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Part = () => {
    throw new TypeError('x is undefined');
  };
  render(
    <LoadBoundary>
      <Part />
    </LoadBoundary>,
  );
  expect(screen.getByRole('alert').textContent).toMatch(/^This part of the page has an error of its own\./);
  vi.restoreAllMocks();
});
