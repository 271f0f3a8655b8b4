/** The supported protocols, by the names that the catalogue, responses and docs use. */
export const PROTOCOL_NAMES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];
