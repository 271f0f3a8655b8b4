import type { Io } from '../io.ts';
import type { Json } from './json.ts';

/** A command's result in both formats. */
export interface Result {
  json: Json;
  /** For people; ends in a newline. */
  text: string;
}

/** Prints a result, as JSON with --json. */
export function print(io: Io, options: { json?: boolean | undefined }, result: Result): void {
  io.stdout(options.json === true ? `${JSON.stringify(result.json, null, 2)}\n` : result.text);
}
