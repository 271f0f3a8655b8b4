import { SKIP_VALIDATOR } from '../../canonical/skip-validator.ts';
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
 * The signature for a call that no Gemini model made: models from generation 3 on reject a call without one. Undefined for
 * models that require none.
 */
export function unsignedCallSignature(parameters: ModelParameters | undefined): string | undefined {
  return parameters?.signedCalls === true ? SKIP_VALIDATOR : undefined;
}
