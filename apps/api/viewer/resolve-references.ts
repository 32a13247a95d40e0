/**
 * Returns the value at a path of a document, with all references replaced by what they lead to. A reference that leads back to
 * itself stays.
 *
 * @throws {Error} when a reference leads nowhere, or out of the document
 */
export function resolveReferences(document: object, path: readonly string[]): unknown {
  return resolve(document, readPath(document, path), []);
}

function resolve(document: object, value: unknown, parents: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(document, item, parents));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') {
    const { $ref, ...others } = value;
    if (parents.includes($ref)) return value;
    const target = resolve(document, readPath(document, parsePointer($ref)), [...parents, $ref]);
    // Siblings take precedence (OpenAPI 3.1, Reference Object).
    return typeof target === 'object' && target !== null ? { ...target, ...others } : target;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolve(document, member, parents)]),
  );
}

/** The steps of a reference such as `#/components/schemas/Plant` (RFC 6901, section 6). */
function parsePointer(reference: string): readonly string[] {
  if (!reference.startsWith('#/')) throw new Error(`The reference ${reference} leads out of the document`);
  return reference
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function readPath(document: object, path: readonly string[]): unknown {
  return path.reduce((value: unknown, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      throw new Error(`The document has nothing at ${path.join('/')}`);
    return Reflect.get(value, step);
  }, document);
}
