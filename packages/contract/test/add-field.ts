/** What the definition of plants ends with, and the optional text field `imaginary` as a developer would add a real one behind it. */
const end = '  },\n});\n';
const added = `    imaginary: text({
      label: 'Imaginary',
      description: 'A text that no plant has',
      example: 'x',
      since: '9.0',
    }),
`;

/**
 * A plugin of Vite that adds a field to the definition of a plant as it loads. What then drops the field does not follow from the
 * definition.
 */
export function addField() {
  return {
    name: 'add-field',
    enforce: 'pre' as const,
    transform(code: string, file: string): string | undefined {
      if (!file.endsWith('/packages/contract/src/plants.ts')) return undefined;
      if (!code.endsWith(end)) throw new Error(`${file} does not end with a field`);
      return code.slice(0, -end.length) + added + end;
    },
  };
}
