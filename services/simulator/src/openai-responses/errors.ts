import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { invalidRequest } from '../openai-chat/errors.ts';

/**
 * OpenAI's error for a prompt of responses that is too long. A stream begins, then fails with it.
 * https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs (its tests),
 * https://github.com/the-open-agent/openagent/issues/2344
 */
export const LENGTH_ERROR = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

/** The 400 where the response is not streamed. */
export function lengthRefusal(): BufferedResponse {
  return invalidRequest(LENGTH_ERROR.message, 'input', LENGTH_ERROR.code);
}
