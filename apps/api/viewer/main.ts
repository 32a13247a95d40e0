import openapi from '@plant-store/contract/openapi.json' with { type: 'json' };
import { createPlugin } from './plugin.js';
import type { SwaggerUI } from './swagger-ui.js';

declare const SwaggerUIBundle: SwaggerUI;

followColorScheme();

const ui = SwaggerUIBundle({
  dom_id: '#viewer',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { activated: false },
  plugins: [createPlugin(removeOverview)],
});
ui.specActions.updateUrl('openapi.json');
ui.specActions.updateLoadingStatus('success');
// The folder of this page, because a proxy may serve it under a prefix.
const servers = [{ ...openapi.servers[0], url: new URL('.', location.href).pathname }];
ui.specActions.updateSpec(JSON.stringify({ ...openapi, servers }, withoutExample));

/** Removes the examples of query parameters: Swagger UI would fill them in, and a list would show only monsteras. */
function withoutExample(_name: string, value: { in?: string; schema: object } | null) {
  if (value?.in !== 'query') return value;
  return { ...value, example: undefined, schema: { ...value.schema, example: undefined } };
}

/** Shows the dark colors of Swagger UI when the system prefers them. */
function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/** Removes the overview that the page shows until Swagger UI has started. */
function removeOverview(): void {
  document.getElementById('overview')?.remove();
}
