import { contract } from '@plant-store/contract';
import type * as z from 'zod';
import type { OperationName } from './client.js';
import type { Reply } from './read-reply.js';

/**
 * Checks a reply against the schemas of the API. Accepts additions from later versions: unknown members, and new error numbers.
 *
 * @throws {Error} when the reply is not valid. The message names the operation, the status, and each invalid member, and contains no text
 * of the reply.
 *
 * @example
 * import { createClient } from '@plant-store/client';
 * import { validateReply } from '@plant-store/client/validate';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…', validate: validateReply });
 */
export function validateReply(
  operation: OperationName,
  { status, body }: Pick<Reply, 'status' | 'body'>,
): void {
  const problems = findProblems(contract[operation].responses, status, body);
  if (problems.length > 0)
    throw new Error(`The ${operation} reply with status ${status} is not valid: ${problems.join('; ')}`);
}

/** The schema of the body by status, or a symbol if there is no body. */
type Responses = Readonly<Record<number, z.ZodType | symbol>>;

function findProblems(responses: Responses, status: number, body: unknown): readonly string[] {
  const schema = responses[status];
  if (schema === undefined) return ['the API does not define this status'];
  if (typeof schema === 'symbol') return body === undefined ? [] : ['body must be empty'];
  const { error } = schema.safeParse(body, { error: explain });
  return error === undefined ? [] : describe(error.issues, ['body']);
}

/** Replaces zod's messages, because a program can configure them to contain values. */
function explain(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.join(' or ')}`;
  return 'has a value that is not allowed';
}

function describe(issues: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[]): readonly string[] {
  return issues.flatMap((issue) => {
    const path = [...parent, ...issue.path];
    if (issue.code !== 'invalid_union') return [`${path.join('.')} ${issue.message}`];
    // The result for one plant of a batch. Its status determines its other members.
    const sameStatus = issue.errors.find((errors) =>
      errors.every(({ path: [member] }) => member !== 'status'),
    );
    return sameStatus
      ? describe(sameStatus, path)
      : [`${path.join('.')}.status has a value that is not allowed`];
  });
}
