import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { hasRule } from '../model/model-rules.ts';
import { EFFORTS, unsupportedEffort } from '../openai-chat/check-model.ts';
import { invalidRequest } from '../openai-chat/errors.ts';
import type { CountBody, ResponsesBody } from './schema.ts';

/** What only some models reject. https://platform.openai.com/docs/guides/reasoning */
export function modelRefusal(body: CountBody | ResponsesBody): BufferedResponse | undefined {
  const model = body.model ?? '';
  if (hasRule(model, 'reasoning')) return reasoningRefusal(body, model);
  return hasRule(model, 'no-reasoning') ? plainRefusal(body) : undefined;
}

function reasoningRefusal(body: CountBody | ResponsesBody, model: string): BufferedResponse | undefined {
  if ('temperature' in body && body.temperature != null && body.temperature !== 1) return unsupported('temperature');
  if ('top_p' in body && body.top_p != null && body.top_p !== 1) return unsupported('top_p');
  const effort = body.reasoning?.effort;
  if (effort == null || EFFORTS.includes(effort)) return undefined;
  return invalidRequest(unsupportedEffort(effort, model), 'reasoning.effort', 'unsupported_value');
}

/** https://github.com/vercel/ai/issues/6854 */
function plainRefusal(body: CountBody | ResponsesBody): BufferedResponse | undefined {
  for (const [field, value] of Object.entries(body.reasoning ?? {})) {
    if (value != null) return unsupported(`reasoning.${field}`);
  }
  const { include } = body as Partial<ResponsesBody>;
  if (include?.includes('reasoning.encrypted_content') === true) {
    return invalidRequest('Encrypted content is not supported with this model.', 'include');
  }
  return undefined;
}

function unsupported(field: string): BufferedResponse {
  return invalidRequest(`Unsupported parameter: '${field}' is not supported with this model.`, field);
}
