interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** What validation found in the parts of one request; a part without issues may be absent. */
export interface RequestIssues {
  readonly path?: readonly Issue[] | undefined;
  readonly query?: readonly Issue[] | undefined;
  readonly headers?: readonly Issue[] | undefined;
  readonly body?: readonly Issue[] | undefined;
}

/** The error that a request with issues is rejected with, and its message. */
export interface InvalidRequest {
  readonly errorName: 'invalid_plant' | 'bad_request';
  readonly message: string;
}

/** All issues of a body in one line, each naming its field, such as `id is required; name must be a string`. */
export function formatIssues(issues: readonly Issue[] = []): string {
  return formatPart(issues, (field) => (field === '' ? 'the body' : field));
}

/**
 * The error for a request that does not have the shape that its operation requires. The message names every issue, and
 * its part of the request unless that is the body alone.
 */
export function explainInvalidRequest({ path, query, headers, body }: RequestIssues): InvalidRequest {
  const parameters = [
    formatPart(path, (name) => `the path parameter ${name}`),
    formatPart(query, (name) => `the query parameter ${name}`),
    formatPart(headers, (name) => `the header ${name}`),
  ].filter((text) => text !== '');
  if (parameters.length === 0) {
    return { errorName: 'invalid_plant', message: `The plant is not valid: ${formatIssues(body)}.` };
  }
  const inBody = formatPart(body, (field) => (field === '' ? 'the body' : `the field ${field} of the body`));
  const all = inBody === '' ? parameters : [...parameters, inBody];
  return { errorName: 'bad_request', message: `The request is not valid: ${all.join('; ')}.` };
}

function formatPart(issues: readonly Issue[] = [], nameOf: (field: string) => string): string {
  return issues
    .map(({ message, path = [] }) => `${nameOf(path.map(String).join('.'))} ${message}`)
    .join('; ');
}
