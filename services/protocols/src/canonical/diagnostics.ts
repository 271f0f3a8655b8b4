import { type Diagnostic, diagnostic } from '../diagnostic.ts';

/** What an encoder could not say, and where it put what the client sent. */
export class Diagnostics {
  readonly #warnings: Diagnostic[] = [];
  readonly #refusals: Diagnostic[] = [];
  /** Paths upstream, each followed by the client's name. Only an error of the upstream needs them as a map. */
  readonly #placed: string[] = [];

  /** Something is left out or changed that does not change the meaning. `at` is the client's name of the field. */
  warn(at: string | undefined, message: string): void {
    this.#warnings.push(diagnosticAt(at, message));
  }

  /** Leaving it out would change the meaning, so that the request cannot be sent. */
  reject(at: string | undefined, message: string): void {
    this.#refusals.push(diagnosticAt(at, message));
  }

  /** What the client has at `at` is at `path` upstream, such as `messages[1].content[0]`. */
  placed(path: string, at: string | undefined): void {
    if (at !== undefined) this.#placed.push(path, at);
  }

  get warnings(): readonly Diagnostic[] {
    return this.#warnings;
  }

  /** The first one is the one to tell. */
  get errors(): readonly Diagnostic[] {
    return this.#refusals;
  }

  /** Client's names by upstream path, made anew by each call. */
  places(): ReadonlyMap<string, string> {
    const places = new Map<string, string>();
    for (let i = 0; i < this.#placed.length; i += 2) places.set(this.#placed[i] ?? '', this.#placed[i + 1] ?? '');
    return places;
  }
}

function diagnosticAt(at: string | undefined, message: string): Diagnostic {
  return at === undefined || at === '' ? { path: '', message } : diagnostic(at, message);
}
