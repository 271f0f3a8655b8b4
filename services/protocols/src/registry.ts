import { anthropicMessages } from './anthropic-messages/index.ts';
import type { ProtocolName } from './canonical/protocol-name.ts';
import { gemini } from './gemini/index.ts';
import type { Protocol } from './interface/protocol.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
};

/** The protocol of that name. */
export function protocolOf(name: ProtocolName): Protocol {
  return PROTOCOLS[name];
}
