/** A command that failed. The message is one line for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A wrong use of a command, such as options that exclude each other. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
