/** The part of Swagger UI that the viewer uses. Swagger UI has no types. */
export type SwaggerUI = (options: {
  readonly dom_id: string;
  readonly deepLinking: boolean;
  readonly defaultModelsExpandDepth: number;
  readonly syntaxHighlight: { readonly activated: boolean };
  readonly plugins: readonly ((system: System) => Plugin)[];
}) => System;

export interface System {
  readonly React: {
    createElement(type: string | Component, props: object, ...children: readonly Node[]): Node;
  };
  readonly specActions: {
    updateUrl(url: string): void;
    updateLoadingStatus(status: 'success'): void;
    updateSpec(text: string): void;
    updateJsonSpec(document: unknown): unknown;
  };
  readonly authSelectors: { authorized(): AuthorizedSchemes | undefined };
  /** Uses a token for a security scheme until the page is closed. */
  preauthorizeApiKey(scheme: string, token: string): void;
}

/** The security schemes that the user has authorized, by name. */
interface AuthorizedSchemes {
  has(scheme: string): boolean;
}

/** What React renders. */
export type Node = object | string | false | null | undefined;

/** A React component. Swagger UI passes the system as properties to containers. */
export type Component = (props: never) => Node;

/** What a plug-in adds, replaces, or wraps. */
export interface Plugin {
  readonly fn?: Readonly<Record<string, unknown>>;
  readonly components?: Readonly<Record<string, Component>>;
  readonly wrapComponents?: Readonly<Record<string, (original: Component) => Component>>;
  readonly statePlugins?: Readonly<
    Record<string, { readonly wrapActions?: Readonly<Record<string, WrapAction>> }>
  >;
}

type WrapAction = (
  original: (...parameters: readonly unknown[]) => unknown,
  system: System,
) => (...parameters: readonly unknown[]) => unknown;
