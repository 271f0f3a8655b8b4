import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/**
 * The name of the operator, for the audit log: from --operator, else TOLLGATE_OPERATOR, else the user of the system.
 *
 * @throws CommandFailure when none of them has it
 */
export function operatorName(option: string | undefined, io: Io): string {
  const name = option ?? (io.env['TOLLGATE_OPERATOR'] || io.user());
  if (name !== undefined) return name;
  throw new CommandFailure('the name of the operator is unknown: give --operator or TOLLGATE_OPERATOR');
}
