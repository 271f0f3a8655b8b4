import { hasRule } from '../model/model-rules.ts';
import { hasBuiltIn } from './check.ts';
import { unsignedCallFault } from './check-turns.ts';
import type { GenerateBody } from './schema.ts';

/** The range of Gemini 2.5 Pro. https://ai.google.dev/gemini-api/docs/thinking */
const MIN_BUDGET = 128;
const MAX_BUDGET = 32_768;

/**
 * What only some models reject, in Google's words:
 * https://github.com/RooCodeInc/Roo-Code/issues/10700 (levels of Gemini 2.5),
 * https://github.com/theJayTea/WritingTools/issues/282 (the level minimal of Gemini Pro, 3.7 and 3.8). The range of budgets is
 * in the words that public clients look for. Gemini 3 still accepts budgets, but Google's guide advises against them, so
 * none is accepted here.
 */
export function modelFault(model: string, body: GenerateBody): string | undefined {
  const unsigned = hasRule(model, 'signed-calls') ? unsignedCallFault(body.contents) : undefined;
  if (unsigned !== undefined) return unsigned;
  const config = body.generationConfig?.thinkingConfig;
  const { thinkingBudget: budget, thinkingLevel: level } = config ?? {};
  if (hasRule(model, 'levels')) {
    if (budget !== undefined) return 'Thinking budget is not supported for this model.';
    if (level === 'MINIMAL')
      return 'Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.';
  }
  if (!hasRule(model, 'budget')) return undefined;
  if (body.toolConfig?.includeServerSideToolInvocations === true) {
    return `Tool call context circulation is not enabled for models/${model}.`;
  }
  if (hasBuiltIn(body) && body.generationConfig?.responseMimeType === 'application/json') {
    return "Tool use with a response mime type: 'application/json' is unsupported";
  }
  if (level !== undefined) return 'Thinking level is not supported for this model.';
  if (budget === undefined || budget === -1 || (budget >= MIN_BUDGET && budget <= MAX_BUDGET)) return undefined;
  return `The thinking budget ${budget} is invalid. Please choose a value between ${MIN_BUDGET} and ${MAX_BUDGET}.`;
}
