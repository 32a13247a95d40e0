interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** All faults of a shape in one line, each naming its field, such as `id is required; name must be a string`. */
export function formatIssues(issues: readonly Issue[] = []): string {
  return issues.map(({ message, path = [] }) => `${fieldName(path)} ${message}`).join('; ');
}

function fieldName(path: readonly unknown[]): string {
  return path.length === 0 ? 'the body' : path.map(String).join('.');
}
