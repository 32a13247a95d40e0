import type { Component, Node, Plugin, System } from './swagger-ui.js';
import { readTabToken } from './tab-token.js';

/** The security scheme of the OpenAPI document. */
const scheme = 'bearer';

/**
 * Creates the plug-in that adapts Swagger UI.
 *
 * @param onShown called once the operations are shown
 */
export const createPlugin =
  (onShown: () => void) =>
  ({ React: { createElement } }: System): Plugin => {
    const hidden = (text: string) => createElement('span', { className: 'visually-hidden' }, text);

    /** Wraps the component of a control in a label. */
    const labelled = (nameOf: (props: { description?: string }) => string) => (Control: Component) =>
      function Labelled(props: { description?: string }) {
        return createElement('label', {}, hidden(nameOf(props)), createElement(Control, props));
      };

    return {
      fn: {
        // All references are within the document. Swagger UI's own resolver takes ten times as long.
        resolveSubtree: async (document: object, path: readonly string[]) => ({
          spec: resolveReferences(document, path),
          errors: [],
        }),
      },
      components: {
        // The page shows the info before Swagger UI starts, and this service is the only server.
        InfoContainer: nothing,
        ServersContainer: nothing,
        // It is inside a button, where a link is not allowed. The button changes the address like the link.
        DeepLink: ({ text }: { text: Node }) => createElement('span', {}, text),
        /** The form for the access token, which hides what is typed. */
        HttpAuth: ({ name, schema, authorized, onChange }: HttpAuthProps) =>
          createElement(
            'div',
            {},
            createElement('h4', {}, 'Access token'),
            createElement('p', {}, schema.get('description')),
            authorized.has(name)
              ? createElement('p', {}, 'A token is in use until this page is left.')
              : createElement(
                  'label',
                  {},
                  'Token',
                  createElement('input', {
                    type: 'password',
                    autoComplete: 'off',
                    autoFocus: true,
                    onChange: ({ target }: { target: HTMLInputElement }) =>
                      onChange({ name, schema, value: target.value }),
                  }),
                ),
          ),
      },
      wrapComponents: {
        // Shown as JSON, large integers would be rounded.
        responseBody: (ResponseBody: Component) =>
          function ExactResponseBody(props: { contentType?: string }) {
            const { contentType = '' } = props;
            return createElement(
              ResponseBody,
              /json/i.test(contentType) ? { ...props, contentType: 'text/plain' } : props,
            );
          },
        AuthorizeBtnContainer: (AuthorizeButton: Component) =>
          function Authorization(props: System) {
            const token = props.authSelectors.authorized()?.has(scheme) ? undefined : readTabToken();
            return createElement(
              'section',
              { className: 'authorization', 'aria-labelledby': 'authorization' },
              createElement('h2', { id: 'authorization', className: 'visually-hidden' }, 'Authorization'),
              token !== undefined &&
                createElement(
                  'button',
                  {
                    type: 'button',
                    className: 'btn',
                    onClick: () => props.preauthorizeApiKey(scheme, token),
                  },
                  'Use the token of this tab',
                ),
              createElement(AuthorizeButton, props),
            );
          },
        operations: (Operations: Component) =>
          function OperationsWithHeading(props: object) {
            return [
              createElement('h2', { key: 'heading', ref: onShown }, 'Operations'),
              createElement(Operations, { key: 'operations', ...props }),
            ];
          },
        ExamplesSelect: labelled(() => 'Example'),
        RequestBodyEditor: labelled(() => 'Request body'),
        JsonSchemaForm: labelled(({ description = 'Value' }) => description),
        CloseIcon: (CloseIcon: Component) =>
          function NamedCloseIcon(props: object) {
            return [createElement(CloseIcon, { key: 'icon', ...props }), hidden('Close')];
          },
        // Its aria-label differs from its text.
        Button: (Button: Component) =>
          function ButtonNamedByText({ 'aria-label': _, ...props }: { 'aria-label'?: string }) {
            return createElement(Button, props);
          },
        responses: (Responses: Component) =>
          function ResponsesWithoutLandmark(props: object) {
            return createElement('div', { ref: removeLandmark }, createElement(Responses, props));
          },
      },
      statePlugins: {
        spec: {
          wrapActions: {
            // The document is JSON, so it need not be parsed as YAML.
            parseToJson:
              (_original, { specActions }) =>
              (text) =>
                specActions.updateJsonSpec(JSON.parse(String(text))),
          },
        },
      },
    };
  };

interface HttpAuthProps {
  readonly name: string;
  readonly schema: { get(name: 'description'): string };
  readonly authorized: { has(name: string): boolean };
  onChange(value: { readonly name: string; readonly schema: unknown; readonly value: string }): void;
}

const nothing = () => null;

/** Open tables of responses would be landmarks without names. */
function removeLandmark(responses: HTMLElement | null): void {
  responses?.querySelector('[role=region]')?.removeAttribute('role');
}

/** The value at a path of a document, with its references replaced by what they name. One that leads back to itself stays. */
function resolveReferences(document: object, path: readonly string[]): unknown {
  const read = (steps: readonly string[]) =>
    steps.reduce<unknown>((value, step) => Object(value)[step], document);
  function resolve(value: unknown, parents: readonly string[]): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => resolve(item, parents));
    const { $ref, ...others } = value as { readonly $ref?: unknown };
    if (typeof $ref !== 'string') {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, resolve(member, parents)]),
      );
    }
    if (parents.includes($ref)) return value;
    // Such as `#/components/schemas/Plant`. Siblings take precedence (OpenAPI 3.1, Reference Object).
    const target = resolve(read($ref.split('/').slice(1)), [...parents, $ref]);
    return { ...Object(target), ...others };
  }
  return resolve(read(path), []);
}
