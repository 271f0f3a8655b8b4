/** Google's own listing puts `models/` before each name. */
export function bareModel(model: string): string {
  return model.startsWith('models/') ? model.slice('models/'.length) : model;
}

/** Where a model's methods are, under the base URL. */
export function modelPath(model: string): string {
  return `/models/${bareModel(model).split('/').map(encodeURIComponent).join('/')}`;
}

/** `gemini-2.5-flash` is of generation 2. */
const GENERATION = /(?:^|\/)gemini-(\d+)/;
const LATEST = /(?:^|\/)gemini-[a-z-]+-latest$/;

/** The generation of a Gemini model, whose settings differ; undefined for names that do not tell it. */
export function generationOf(model: string): number | undefined {
  const found = GENERATION.exec(model)?.[1];
  if (found !== undefined) return Number(found);
  // Google's moving names are of the third at least.
  return LATEST.test(model) ? 3 : undefined;
}

/**
 * What Google documents for calls that no Gemini model made: models from generation 3 on refuse a call without a thought
 * signature, and take this text in its place. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = 'skip_thought_signature_validator';

/** The signature for a call that has none of its own; undefined for models that demand none. */
export function unsignedCallSignature(upstreamModel: string): string | undefined {
  return (generationOf(upstreamModel) ?? 0) >= 3 ? UNSIGNED : undefined;
}
