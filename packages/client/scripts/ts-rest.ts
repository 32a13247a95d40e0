// Takes the place of @ts-rest/core in the bundle: what the contract uses of it at run time. The library would bring zod 3.

interface Endpoint {
  readonly responses: object;
}

/** Gives each endpoint the common responses, too. */
export const initContract = () => ({
  router: (
    endpoints: Readonly<Record<string, Endpoint>>,
    { commonResponses }: { readonly commonResponses: object },
  ) =>
    Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => [
        name,
        { ...endpoint, responses: { ...commonResponses, ...endpoint.responses } },
      ]),
    ),
  noBody: () => Symbol('no body'),
});
