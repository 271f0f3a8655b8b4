import type { ModelFacts } from '../bound.ts';
import type { JsonRecord } from '../json/record.ts';
import { promptBytes } from '../prompt-bytes.ts';

/**
 * The most tokens a call can cost: no token is less than a byte of the body, known field or not; the provider's template
 * may add some to each input and to the whole.
 */
export function boundRequest(body: JsonRecord, inputs: number, facts: ModelFacts): number {
  return promptBytes(body) + facts.tokensPerRequest + inputs * facts.tokensPerMessage;
}
