/**
 * What Google documents as the signature of a call without one, in all of its protocols.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const SKIP_VALIDATOR = 'skip_thought_signature_validator';
