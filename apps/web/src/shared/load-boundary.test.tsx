import { render, screen } from '@testing-library/react';
import { lazy, type ReactNode, Suspense } from 'react';
import { expect, it, vi } from 'vitest';
import { LoadBoundary, loadPart } from './load-boundary.js';

/** Shows a part of the page next to the rest, and returns the alert shown instead. */
async function show(part: ReactNode): Promise<string | null> {
  // React reports the error there, too.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const loading = <Suspense fallback={<p>Loading</p>}>{part}</Suspense>;
  render([<p key="rest">the rest</p>, <LoadBoundary key="part">{loading}</LoadBoundary>]);
  const { textContent } = await screen.findByRole('alert');
  expect(screen.getByText('the rest')).toBeDefined();
  return textContent;
}

it('shows what to do when a part of the page cannot be loaded, and leaves the rest', async () => {
  const Part = lazy(() => loadPart(() => Promise.reject(new TypeError('Failed to fetch'))));
  expect(await show(<Part />)).toContain('Reload the page. Your text is kept.');
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeDefined();
});

it('does not blame the network for an error of the part itself', async () => {
  const Part = () => {
    throw new TypeError('x is undefined');
  };
  expect(await show(<Part />)).toMatch(/^This part of the page stopped working\./);
});
