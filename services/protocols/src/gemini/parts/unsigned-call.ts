/**
 * What Google documents for calls that no Gemini model made: models from version 3 on refuse a call without a thought
 * signature, and take this text in its place. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = 'skip_thought_signature_validator';

/** Models that look for no signature: those of the first two generations, and those that are not Gemini. */
const DEMANDS_SIGNATURES = /(?:^|\/)gemini-(?:[3-9]|\d{2}|[a-z-]+-latest$)/;

/** The signature for a call that has none of its own; undefined for models that need none. */
export function unsignedCallSignature(upstreamModel: string): string | undefined {
  return DEMANDS_SIGNATURES.test(upstreamModel) ? UNSIGNED : undefined;
}
