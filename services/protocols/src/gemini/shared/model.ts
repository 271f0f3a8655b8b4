/** A model's name without the `models/` of Google's listing. */
export function bareModel(model: string): string {
  return model.startsWith('models/') ? model.slice('models/'.length) : model;
}

/** The path of a model under the base URL. */
export function modelPath(model: string): string {
  return `/models/${bareModel(model).split('/').map(encodeURIComponent).join('/')}`;
}

/** `gemini-2.5-flash` is of generation 2. */
const GENERATION = /(?:^|\/)gemini-(\d+)/;
const LATEST = /(?:^|\/)gemini-[a-z-]+-latest$/;

/** The generation of a Gemini model, whose settings differ; undefined if the name does not show it. */
export function generationOf(model: string): number | undefined {
  const found = GENERATION.exec(model)?.[1];
  if (found !== undefined) return Number(found);
  // Google's `-latest` names are of generation 3 or later.
  return LATEST.test(model) ? 3 : undefined;
}

/**
 * Google's documented placeholder for calls that no Gemini model made: models from generation 3 on reject a call without
 * a thought signature. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = 'skip_thought_signature_validator';

/** The signature for a call without one; undefined for models that require none. */
export function unsignedCallSignature(upstreamModel: string): string | undefined {
  return (generationOf(upstreamModel) ?? 0) >= 3 ? UNSIGNED : undefined;
}
