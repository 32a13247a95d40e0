import { errors } from '@plant-store/contract/errors';

/** Whether an operation of the contract may answer with this status. */
export function isDeclaredStatus(status: number): boolean {
  return status === 200 || (!undeclared.includes(status) && errorStatuses.includes(status));
}

const errorStatuses: readonly number[] = Object.values(errors).map((definition) => definition.status);

/** These answer a path or a method that is none of an operation. */
const undeclared: readonly number[] = [404, 405];
