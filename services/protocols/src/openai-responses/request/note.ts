import type { FieldNote } from '../../field-note.ts';

/** A note whose message begins with the path. */
export function note(path: string, message: string): FieldNote {
  return { path, message: `${path}: ${message}` };
}
