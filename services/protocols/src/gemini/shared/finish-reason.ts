import type { FinishReason } from '../../canonical/response.ts';

/** All of Google's finish reasons. https://ai.google.dev/api/generate-content#FinishReason */
const REASONS = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  LANGUAGE: 'other',
  OTHER: 'other',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  MALFORMED_FUNCTION_CALL: 'malformed-call',
  UNEXPECTED_TOOL_CALL: 'malformed-call',
  TOO_MANY_TOOL_CALLS: 'malformed-call',
  MALFORMED_RESPONSE: 'other',
  MISSING_THOUGHT_SIGNATURE: 'malformed-call',
  IMAGE_SAFETY: 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  IMAGE_OTHER: 'other',
  NO_IMAGE: 'other',
  CONTINUATION: 'pause',
} as const satisfies Readonly<Record<string, FinishReason>>;

const BY_NAME: ReadonlyMap<string, FinishReason> = new Map(Object.entries(REASONS));

/**
 * Decodes why a candidate ended. Google has no reason for a response with tool calls; some compatible upstreams have
 * one.
 *
 * @param hasCalls whether the candidate called tools
 */
export function decodeFinishReason(raw: string, hasCalls: boolean): FinishReason {
  const reason = BY_NAME.get(raw);
  if (hasCalls && (reason === undefined || reason === 'stop')) return 'tool-calls';
  return reason ?? 'other';
}

/** Encodes it as Google's finish reason. */
export function encodeFinishReason(reason: FinishReason): keyof typeof REASONS {
  switch (reason) {
    case 'stop':
    case 'tool-calls':
    case 'pause':
      return 'STOP';
    case 'length':
    case 'context':
      return 'MAX_TOKENS';
    case 'content-filter':
    case 'refusal':
      return 'SAFETY';
    case 'malformed-call':
      return 'MALFORMED_FUNCTION_CALL';
    case 'other':
      return 'OTHER';
    default:
      return reason satisfies never;
  }
}
