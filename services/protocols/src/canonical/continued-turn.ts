import type { Diagnostics } from '../request/diagnostics.ts';
import type { Message } from './message.ts';

/** Anthropic's advice for models that go on with no last turn of the assistant. */
export const REQUEST_TO_CONTINUE = 'Continue from where you left off.';

/** For the warning. */
export const CONTINUED_TURN =
  "the model does not go on with this last turn of the assistant, so a user's turn that asks to continue follows it";

/**
 * Asks for what comes after a last turn of the assistant, with which only some models go on, while others refuse it. Clients
 * end there when a response was interrupted, and an error would come again with each of their requests. A turn that calls
 * tools stays last: results must follow it.
 */
export function withRequestToContinue(messages: readonly Message[], diagnostics: Diagnostics): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || last.parts.some(({ type }) => type === 'tool-call')) return messages;
  diagnostics.warn(last.at, CONTINUED_TURN);
  return [...messages, { role: 'user', parts: [{ type: 'text', text: REQUEST_TO_CONTINUE }] }];
}
