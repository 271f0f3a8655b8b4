import type { Io } from './io.ts';

/** Prints a result: its JSON with --json, else its text, which ends in a newline. */
export function print(io: Io, options: { json?: boolean | undefined }, result: { json: unknown; text: string }): void {
  io.stdout(options.json === true ? `${JSON.stringify(result.json ?? null, null, 2)}\n` : result.text);
}
