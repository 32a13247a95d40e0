import { expect, it } from 'vitest';
import { contract } from './contract.js';
import { matchPath } from './request-target.js';
import { commonStatuses, type Route, routes } from './routes.js';

it('are those of the contract, in its order', () => {
  expect(Object.keys(contract)).toEqual(Object.keys(routes));
});

it.each(Object.entries<Route>(routes))(
  '%s has the statuses of its contract, and its path alone',
  (name, route) => {
    const { responses } = contract[name as keyof typeof contract];
    const statuses = Object.keys(responses).map(Number);
    const { statuses: own = [200] } = route;
    expect([...own, ...commonStatuses].sort()).toEqual(statuses);
    // So that no parameter takes a static path.
    const matched = matchPath(route.path.replace(/:\w+/g, '1')).find(({ method }) => method === route.method);
    expect(matched?.name).toBe(name);
  },
);
