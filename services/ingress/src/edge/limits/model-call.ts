import type { Surface } from '../../shared/request/surface.ts';
import type { LimitedCall, ModelLimits } from './applicable.ts';
import { readModelName } from './model-name.ts';

/** Endpoints that count tokens and generate nothing. */
const COUNTS_TOKENS = /(?:\/count_tokens|\/input_tokens|:countTokens)\/?$/;
const UNDER_MODELS = /^(?:\/v1(?:beta)?)?\/models\/(.+?)\/?$/;

/** The part of the route table that limits need. */
export interface LimitedModels {
  hasModelLimits: boolean;
  find: (name: string) => { limits: ModelLimits | undefined } | undefined;
}

const NO_MODEL: LimitedCall = { usesTokens: false, model: undefined };
const ANY_MODEL: LimitedCall = { usesTokens: true, model: undefined };

/**
 * Classifies a request for its limits before its body is validated: every POST that does not count tokens calls a
 * model. The model's name is searched only if some model has limits. A body without one is rejected later.
 */
export function limitedCallOf(
  { method, path }: { method: string; path: string },
  surface: Surface,
  body: Buffer,
  table: LimitedModels | undefined,
): LimitedCall {
  if (method !== 'POST' || COUNTS_TOKENS.test(path)) return NO_MODEL;
  if (table === undefined || !table.hasModelLimits) return ANY_MODEL;
  const name = modelNamedIn(path, surface, body);
  const model = name === undefined ? undefined : table.find(name)?.limits;
  return model === undefined ? ANY_MODEL : { usesTokens: true, model };
}

/** The name of the model that a request calls, before its body is validated; undefined if there is none. */
export function modelNamedIn(path: string, surface: Surface, body: Buffer): string | undefined {
  return surface === 'generative' ? modelInPath(path) : readModelName(body);
}

/** The model of `/v1beta/models/{model}:{method}`, or of one without a method. */
function modelInPath(path: string): string | undefined {
  const text = UNDER_MODELS.exec(path)?.[1];
  if (text === undefined) return undefined;
  try {
    const rest = decodeURIComponent(text);
    const colon = rest.lastIndexOf(':');
    return (colon === -1 ? rest : rest.slice(0, colon)).replace(/^models\//, '');
  } catch {
    return undefined;
  }
}
