import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { App } from './app.js';

it('asks for the token first', () => {
  render(<App tokenFromAddress={undefined} />);
  expect(screen.getByRole('button', { name: 'Use token' })).toBeDefined();
  expect(screen.queryByRole('tab')).toBeNull();
});
