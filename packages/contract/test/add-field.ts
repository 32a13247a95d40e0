/** The optional text field `imaginary`, as a developer would add a real one to each of these modules; no plant store has it. */
const edits = {
  '/packages/contract/src/plants.ts': {
    after: 'filter: true,\n    }),',
    add: "imaginary: text({ label: 'Imaginary', description: 'A text that no plant has', example: 'bed 3', since: '9.0' }),",
  },
  '/packages/contract/src/schemas.ts': {
    after: "tag: TextSchema.meta({ description: 'Tag that specifies the type of the plant' }).optional(),",
    add: "imaginary: TextSchema.meta({ description: 'A text that no plant has' }).optional(),",
  },
};

/**
 * A plugin of Vite that adds a field to the definition of a plant as its modules load. What then drops the field does not follow from
 * the definition.
 */
export function addField() {
  return {
    name: 'add-field',
    enforce: 'pre' as const,
    transform(code: string, file: string): string | undefined {
      const edit = Object.entries(edits).find(([end]) => file.endsWith(end))?.[1];
      if (edit === undefined) return undefined;
      if (!code.includes(edit.after)) throw new Error(`${file} has no ${edit.after}`);
      return code.replace(edit.after, `${edit.after} ${edit.add}`);
    },
  };
}
