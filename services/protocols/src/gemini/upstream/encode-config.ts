import { budgetOf, nearestEffort } from '../../canonical/effort.ts';
import type { CanonicalRequest, Effort, FieldName } from '../../canonical/request.ts';
import type { ThinkingParameters } from '../../interface/parameters.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { LEVELS } from '../shared/adjust.ts';
import { encodeMediaResolution } from '../shared/media-resolution.ts';

const MAX_CHOICES = 8;
const MAX_LOGPROBS = 20;
/** The largest thinking budget that all models with budgets accept. */
const MAX_COMMON_BUDGET = 24_576;
const MAX_SEED = 2 ** 31 - 1;

/** The settings of the generation. */
export function encodeConfig(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): JsonRecord {
  const { names } = request;
  const mediaResolution = encodeMediaResolution(request.messages, diagnostics);
  const thinkingConfig = thinkingOf(request, target.parameters?.thinking, diagnostics);
  placeFields(names, diagnostics);
  return {
    ...samplingOf(request, diagnostics),
    ...limitOf(request, target, diagnostics),
    ...choicesOf(request, diagnostics),
    ...formatOf(request, diagnostics),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
    ...(mediaResolution !== undefined && { mediaResolution }),
  };
}

function samplingOf(request: CanonicalRequest, diagnostics: Diagnostics): JsonRecord {
  const { names, temperature, topP, topK, seed, presencePenalty, frequencyPenalty, stop } = request;
  const isLargeSeed = seed !== undefined && Math.abs(seed) > MAX_SEED;
  if (isLargeSeed) diagnostics.warn(names.seed, 'left out, since this provider accepts only 32-bit numbers');
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && !isLargeSeed && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(stop !== undefined && stop.length > 0 && { stopSequences: stop }),
  };
}

function limitOf(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): JsonRecord {
  const { maxOutputTokens: wanted, names } = request;
  if (target.outputTokens !== undefined) return { maxOutputTokens: target.outputTokens };
  if (wanted === undefined) return {};
  if (wanted > target.maxOutputTokens) {
    diagnostics.warn(names.maxOutputTokens, `sent as ${target.maxOutputTokens}, the maximum of this model`);
  }
  return { maxOutputTokens: Math.min(wanted, target.maxOutputTokens) };
}

function choicesOf({ choices, logprobs, names }: CanonicalRequest, diagnostics: Diagnostics): JsonRecord {
  if (choices !== undefined && choices > MAX_CHOICES) {
    diagnostics.reject(names.choices, `this model's provider returns at most ${MAX_CHOICES} choices per request`);
  }
  if (logprobs !== undefined && logprobs.top > MAX_LOGPROBS) {
    diagnostics.reject(names.logprobs, `this model's provider returns at most ${MAX_LOGPROBS} alternative tokens`);
  }
  return {
    ...(choices !== undefined && choices > 1 && { candidateCount: choices }),
    ...(logprobs !== undefined && { responseLogprobs: true, ...(logprobs.top > 0 && { logprobs: logprobs.top }) }),
  };
}

function formatOf({ responseFormat, names }: CanonicalRequest, diagnostics: Diagnostics): JsonRecord {
  switch (responseFormat?.type) {
    case undefined:
    case 'text':
      return {};
    case 'json':
      return { responseMimeType: 'application/json' };
    case 'json-schema': {
      const { schema, description } = responseFormat;
      if (description !== undefined)
        diagnostics.warn(names.responseFormat, 'its description is sent within the schema');
      const described =
        description === undefined || schema['description'] !== undefined ? schema : { ...schema, description };
      return { responseMimeType: 'application/json', responseJsonSchema: described };
    }
    default:
      return responseFormat satisfies never;
  }
}

function thinkingOf(
  { reasoning, names }: CanonicalRequest,
  rules: ThinkingParameters | undefined,
  diagnostics: Diagnostics,
): JsonRecord | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, adaptive, show } = reasoning;
  const warn = (message: string) => diagnostics.warn(names.reasoning, message);
  const config = {
    ...(effort !== undefined && ofEffort(effort, rules, warn)),
    ...(effort === undefined && budgetTokens !== undefined && { thinkingBudget: budgetTokens }),
    ...(effort === undefined && budgetTokens === undefined && adaptive === true && { thinkingBudget: -1 }),
  };
  // Google rejects a request to show thoughts if there are none.
  const isOff = 'thinkingBudget' in config && config.thinkingBudget === 0;
  const shown = show === undefined ? config : { ...config, includeThoughts: show !== 'none' && !isOff };
  return Object.keys(shown).length === 0 ? undefined : shown;
}

/** A level for models with levels, otherwise a budget. */
function ofEffort(effort: Effort, rules: ThinkingParameters | undefined, warn: (message: string) => void): JsonRecord {
  if (rules?.control !== 'effort') {
    const budget = budgetOf(effort);
    const most = rules?.maxBudgetTokens ?? MAX_COMMON_BUDGET;
    if (budget > most) warn(`sent as ${most} tokens, the maximum of this model`);
    return { thinkingBudget: Math.min(budget, most) };
  }
  const level = nearestEffort(effort, LEVELS) ?? 'low';
  if (level !== effort) {
    warn(
      effort === 'none'
        ? `sent as "${level}", since this model always thinks`
        : `sent as "${level}", the nearest level`,
    );
  }
  return { thinkingLevel: level.toUpperCase() };
}

/** Maps Google's field names in error messages to the client's. */
function placeFields(names: CanonicalRequest['names'], diagnostics: Diagnostics): void {
  const places: readonly (readonly [string, FieldName])[] = [
    ['maxOutputTokens', 'maxOutputTokens'],
    ['temperature', 'temperature'],
    ['topP', 'topP'],
    ['topK', 'topK'],
    ['seed', 'seed'],
    ['presencePenalty', 'presencePenalty'],
    ['frequencyPenalty', 'frequencyPenalty'],
    ['stopSequences', 'stop'],
    ['candidateCount', 'choices'],
    ['responseLogprobs', 'logprobs'],
    ['logprobs', 'logprobs'],
    ['responseMimeType', 'responseFormat'],
    ['responseJsonSchema', 'responseFormat'],
    ['thinkingConfig', 'reasoning'],
  ];
  // Google's messages name settings in snake case or camel case, with or without their parent.
  for (const [field, name] of places) {
    diagnostics.placed(`generationConfig.${field}`, names[name]);
    diagnostics.placed(field, names[name]);
  }
}
