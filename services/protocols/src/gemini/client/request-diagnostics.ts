import { appendKey } from '../../json/path.ts';
import type { JsonRecord } from '../../json/record.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { FieldAliases } from './aliases.ts';

/** Collects diagnostics of decoding a request. Callers give paths in camel case. */
export class RequestDiagnostics {
  readonly #aliases: FieldAliases;
  readonly #warnings: Diagnostic[] = [];
  #refusal: Diagnostic | undefined;

  constructor(aliases: FieldAliases) {
    this.#aliases = aliases;
  }

  /** The path with the client's names. */
  at(path: string): string {
    return this.#aliases.path(path);
  }

  /** A field that no other provider has is dropped without changing the meaning. */
  warnDropped(path: string): void {
    this.warn(path, "not passed on to this model's provider");
  }

  warn(path: string, message: string): void {
    this.#warnings.push(diagnostic(this.at(path), message));
  }

  /** Dropping the field would change the meaning. */
  reject(path: string, message: string): void {
    this.#refusal ??= diagnostic(this.at(path), message);
  }

  /** Warns of unknown members. */
  unknown(value: JsonRecord, known: ReadonlySet<string>, path: string): void {
    for (const [key, inner] of Object.entries(value)) {
      if (!known.has(key) && inner !== undefined && inner !== null) this.warnDropped(appendKey(path, key));
    }
  }

  get warnings(): readonly Diagnostic[] {
    return this.#warnings;
  }

  /** The first one. */
  get error(): Diagnostic | undefined {
    return this.#refusal;
  }
}
