import { type FieldNote, note } from '../field-note.ts';

/** What an encoder could not say, and where it put what the client sent. */
export class EncodeNotes {
  readonly #warnings: FieldNote[] = [];
  readonly #refusals: FieldNote[] = [];
  /** Paths upstream, each followed by the client's name. Only an error of the upstream needs them as a map. */
  readonly #placed: string[] = [];

  /** Something is left out or changed that does not change the meaning. `at` is the client's name of the field. */
  warn(at: string | undefined, message: string): void {
    this.#warnings.push(noteAt(at, message));
  }

  /** Leaving it out would change the meaning, so that the request cannot be sent. */
  refuse(at: string | undefined, message: string): void {
    this.#refusals.push(noteAt(at, message));
  }

  /** What the client has at `at` is at `path` upstream, such as `messages[1].content[0]`. */
  placed(path: string, at: string | undefined): void {
    if (at !== undefined) this.#placed.push(path, at);
  }

  get warnings(): readonly FieldNote[] {
    return this.#warnings;
  }

  /** The first one is the one to tell. */
  get refusals(): readonly FieldNote[] {
    return this.#refusals;
  }

  /** Client's names by upstream path, made anew by each call. */
  places(): ReadonlyMap<string, string> {
    const places = new Map<string, string>();
    for (let i = 0; i < this.#placed.length; i += 2) places.set(this.#placed[i] ?? '', this.#placed[i + 1] ?? '');
    return places;
  }
}

function noteAt(at: string | undefined, message: string): FieldNote {
  return at === undefined || at === '' ? { path: '', message } : note(at, message);
}
