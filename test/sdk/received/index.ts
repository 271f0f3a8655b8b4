import type { ProtocolName } from '../scenario.ts';
import { readMessages } from './anthropic-messages.ts';
import { readGemini } from './gemini.ts';
import { readChat } from './openai-chat.ts';
import { readResponses } from './openai-responses.ts';
import type { Received } from './received.ts';

export type { Received };

/** Reads a call in a provider's protocol. */
export const READERS: Readonly<Record<ProtocolName, (body: unknown) => Received>> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'anthropic-messages': readMessages,
  gemini: readGemini,
};
