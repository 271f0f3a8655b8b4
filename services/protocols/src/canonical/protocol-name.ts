/** The protocols spoken on both sides, under the names that the catalogue, answers and documents use. */
export const PROTOCOL_NAMES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];
