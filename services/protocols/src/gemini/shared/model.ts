import type { ModelParameters } from '../../interface/parameters.ts';

/** A model's name without the `models/` of Google's listing. */
export function bareModel(model: string): string {
  return model.startsWith('models/') ? model.slice('models/'.length) : model;
}

/** The path of a model under the base URL. */
export function modelPath(model: string): string {
  return `/models/${bareModel(model).split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * Google's documented placeholder for calls that no Gemini model made: models from generation 3 on reject a call without
 * a thought signature. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const UNSIGNED = 'skip_thought_signature_validator';

/** The signature for a call without one; undefined for models that require none. */
export function unsignedCallSignature(parameters: ModelParameters | undefined): string | undefined {
  return parameters?.signedCalls === true ? UNSIGNED : undefined;
}
