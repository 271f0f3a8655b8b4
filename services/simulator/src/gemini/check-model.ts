import { hasRule } from '../model/model-rules.ts';
import { unsignedCallFault } from './check-turns.ts';
import type { GenerateBody } from './schema.ts';

/** The range of Gemini 2.5 Pro. https://ai.google.dev/gemini-api/docs/thinking */
const MIN_BUDGET = 128;
const MAX_BUDGET = 32_768;

/** What only some models reject. */
export function modelFault(model: string, body: GenerateBody): string | undefined {
  const unsigned = hasRule(model, 'signed-calls') ? unsignedCallFault(body.contents) : undefined;
  if (unsigned !== undefined) return unsigned;
  const config = body.generationConfig?.thinkingConfig;
  const { thinkingBudget: budget, thinkingLevel: level } = config ?? {};
  if (hasRule(model, 'levels') && budget !== undefined) return 'Thinking budget is not supported for this model.';
  if (!hasRule(model, 'budget')) return undefined;
  if (level !== undefined) return 'Thinking level is not supported for this model.';
  if (budget === undefined || budget === -1 || (budget >= MIN_BUDGET && budget <= MAX_BUDGET)) return undefined;
  return `The thinking budget ${budget} is invalid. Please choose a value between ${MIN_BUDGET} and ${MAX_BUDGET}.`;
}
