import type { JsonRecord } from '../json/record.ts';

/** A message about one field of a request. */
export interface Diagnostic {
  /** The client's name of the field, such as `messages[2].content`; empty for the entire request. */
  readonly path: string;
  /** A sentence for the client. It begins with the path, and quotes only values of closed lists. */
  readonly message: string;
  /** `error.details` of the refusal, where SDKs act on them; none if absent. */
  readonly details?: JsonRecord;
}

/** A diagnostic whose message begins with the path. */
export function diagnostic(path: string, message: string): Diagnostic {
  return { path, message: `${path}: ${message}` };
}

/** What was encoded, unless it was rejected. */
export type Attempt<T> = { readonly ok: true; readonly encoded: T } | { readonly ok: false };

/** Collects the diagnostics of decoding or encoding a request, and the upstream paths of its fields. */
export class Diagnostics {
  readonly #warnings: Diagnostic[] = [];
  readonly #errors: Diagnostic[] = [];
  /** Paths upstream, each followed by the client's name. Only an error of the upstream needs them as a map. */
  readonly #placed: string[] = [];

  /** A field is dropped or adjusted without changing the meaning. `at` is the client's name of the field. */
  warn(at: string | undefined, message: string): void {
    this.#warnings.push(diagnosticAt(at, message));
  }

  /** Dropping the field would change the meaning, so the request is rejected. */
  reject(at: string | undefined, message: string): void {
    this.#errors.push(diagnosticAt(at, message));
  }

  /**
   * Encodes what can be replaced. If it is rejected, the error becomes a warning.
   */
  attempt<T>(encode: (diagnostics: Diagnostics) => T): Attempt<T> {
    const own = new Diagnostics();
    const encoded = encode(own);
    const [error] = own.#errors;
    if (error !== undefined) {
      this.#warnings.push({ ...error, message: `${error.message}, so it is only mentioned` });
      return { ok: false };
    }
    for (const warning of own.#warnings) this.#warnings.push(warning);
    for (const place of own.#placed) this.#placed.push(place);
    return { ok: true, encoded };
  }

  /** Records that the client's field `at` is at `path` upstream, such as `messages[1].content[0]`. */
  placed(path: string, at: string | undefined): void {
    if (at !== undefined) this.#placed.push(path, at);
  }

  get warnings(): readonly Diagnostic[] {
    return this.#warnings;
  }

  /** The client gets the first one. */
  get errors(): readonly Diagnostic[] {
    return this.#errors;
  }

  /** The client's paths by upstream path. Each call builds a new map. */
  places(): ReadonlyMap<string, string> {
    const places = new Map<string, string>();
    for (let i = 0; i < this.#placed.length; i += 2) places.set(this.#placed[i] ?? '', this.#placed[i + 1] ?? '');
    return places;
  }
}

function diagnosticAt(at: string | undefined, message: string): Diagnostic {
  return at === undefined || at === '' ? { path: '', message } : diagnostic(at, message);
}
