import { expect, it } from 'vitest';
import { openApp } from '../support/open-app.js';
import { readPage } from '../support/read-markdown.js';

/** What is used of a layer of Express's router: the route, of a layer that has one. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

it('the first drawing has every operation that is mounted, and no other', async () => {
  const { app } = await openApp();
  const layers = (app as unknown as { router: { stack: readonly Layer[] } }).router.stack;
  const mounted = layers.flatMap(({ route }) =>
    Object.keys(route?.methods ?? {}).map(
      (method) => `${method.toUpperCase()} ${route?.path.replaceAll(/:(\w+)/g, '{$1}')}`,
    ),
  );
  const [, drawing = ''] = readPage('docs/architecture.md').split('```', 2);
  const drawn = [...drawing.matchAll(/-- "([A-Z]+ \/plants[^"]*)" -->/g)].map(([, operation]) => operation);
  expect(drawn.toSorted()).toEqual(mounted.filter((name) => name.includes('/plants')).toSorted());
  expect(drawn).toHaveLength(5);
});
