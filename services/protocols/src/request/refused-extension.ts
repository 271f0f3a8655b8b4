import { type Diagnostic, diagnostic } from './diagnostics.ts';

/** Fields with models to call if the first one fails: OpenRouter's, and what others have for the same. */
const OTHER_MODELS: ReadonlySet<string> = new Set(['models', 'fallbacks']);

/** The refusal of a field that is not part of the protocol, and would multiply, redirect or add to what is billed. */
export function refusedExtension(field: string): Diagnostic {
  const reason = OTHER_MODELS.has(field)
    ? 'other models within a request are not supported; remove it, and send the request again with another model'
    : 'not supported; remove it';
  return diagnostic(field, reason);
}
