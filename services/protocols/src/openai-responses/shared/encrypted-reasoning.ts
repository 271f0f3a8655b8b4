/** What makes a provider send reasoning in a form that can be carried back without being stored there. */
export const INCLUDE_ENCRYPTED = 'reasoning.encrypted_content';

/**
 * OpenAI's reasoning models by their names; its chat models refuse the value above ("Encrypted content is not supported
 * with this model").
 */
const REASONING_MODEL = /(^|[/.:])(o[1-9]|gpt-oss|gpt-([5-9]|[1-9]\d)|codex|computer-use)/;

/**
 * Whether a request without storage must ask for encrypted reasoning to have it in the next turn: where it says itself
 * that the model reasons, or the model's name does.
 */
export function asksForReasoning(upstreamModel: string, asked: boolean): boolean {
  return asked || (REASONING_MODEL.test(upstreamModel) && !upstreamModel.includes('chat'));
}
