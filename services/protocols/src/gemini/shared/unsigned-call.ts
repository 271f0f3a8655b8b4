import { generationOf } from './model-generation.ts';

/**
 * What Google documents for calls that no Gemini model made: models from generation 3 on refuse a call without a thought
 * signature, and take this text in its place. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = 'skip_thought_signature_validator';

/** The signature for a call that has none of its own; undefined for models that demand none. */
export function unsignedCallSignature(upstreamModel: string): string | undefined {
  return (generationOf(upstreamModel) ?? 0) >= 3 ? UNSIGNED : undefined;
}
