import { expect, it } from 'vitest';
import { contract } from './contract.js';
import { matchPath } from './request-target.js';
import { type Route, routes } from './routes.js';

it('are those of the contract, in its order', () => {
  expect(Object.keys(contract)).toEqual(Object.keys(routes));
});

it.each(Object.entries<Route>(routes))(
  '%s is the first one that matches its path, so that no parameter takes a static path',
  (name, { method, path }) => {
    const matched = matchPath(path.replace(/:\w+/g, '1')).find((operation) => operation.method === method);
    expect(matched?.name).toBe(name);
  },
);

it.each(Object.entries<Route>(routes))('%s declares the statuses that its contract has', (name, route) => {
  const { responses } = contract[name as keyof typeof contract];
  expect(route.statuses).toEqual(Object.keys(responses).map(Number));
});
