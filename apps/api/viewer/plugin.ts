import type { Component, Node, Plugin, System } from './swagger-ui.js';
import { readTabToken } from './tab-token.js';

/** The security scheme of the OpenAPI document. */
const scheme = 'bearer';

/**
 * What of Swagger UI is other here.
 *
 * @param onShown called once the operations are shown
 */
export const createPlugin =
  (onShown: () => void) =>
  ({ React: { createElement } }: System): Plugin => {
    const hidden = (text: string) => createElement('span', { className: 'visually-hidden' }, text);

    /** Wraps what shows one control, so that the control has a name. */
    const labelled = (nameOf: (props: { description?: string }) => string) => (Control: Component) =>
      function Labelled(props: { description?: string }) {
        return createElement('label', {}, hidden(nameOf(props)), createElement(Control, props));
      };

    return {
      fn: {
        // The document has references to itself alone; what comes with Swagger UI takes ten times as long.
        resolveSubtree: async (document: object, path: readonly string[]) => ({
          spec: resolveReferences(document, path),
          errors: [],
        }),
      },
      components: {
        // The document has them in its head, before Swagger UI has started. There is one server, this one.
        InfoContainer: nothing,
        ServersContainer: nothing,
        // It is inside of a button, where no link may be. The button changes the address as the link did.
        DeepLink: ({ text }: { text: Node }) => createElement('span', {}, text),
        /** The dialog's part for the one security scheme, which hides the token. */
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
        // As JSON its integers would be rounded.
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
        // Its name for assistive technology is another than the one that is shown.
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
            // The document is JSON, and need not be read as YAML.
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

/** Tables that are open at once would be landmarks without names. */
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
