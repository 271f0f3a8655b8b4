import type { Exchange } from '../exchange/exchange.ts';
import type { Conversation } from '../model/conversation.ts';
import { countInput } from '../model/count-input.ts';
import { promptPieces } from '../model/prompt-pieces.ts';
import type { Controls } from './schema.ts';

/** The controls of a call, with what the prompt cache has of its prompt, unless they say that themselves. */
export function withPromptCache(
  { promptCache, body, contextWindow }: Exchange,
  protocol: string,
  conversation: Conversation,
  controls: Controls,
): Controls {
  if (promptCache === undefined || controls.cached_tokens !== undefined || controls.fail !== undefined) return controls;
  const input = countInput(conversation);
  if (input > (controls.context_window ?? contextWindow)) return controls;
  const { read, written } = promptCache.use(conversation.model, promptPieces(protocol, body), input);
  // Only Anthropic charges for writing.
  return {
    ...controls,
    cached_tokens: read,
    ...(protocol === 'anthropic-messages' && { cache_write_5m_tokens: written }),
  };
}
