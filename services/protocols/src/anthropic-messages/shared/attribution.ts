import { isRecord } from '../../json/record.ts';

const MARK = 'x-anthropic-billing-header:';

/**
 * Whether a system prompt begins with Claude Code's attribution block: its version, and a fingerprint that differs between
 * conversations. Anthropic removes it if it is the first block, so that it is neither read nor billed there, and does not
 * change the prompt that is cached. For all other providers the gateway does so.
 * https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
 */
export function hasAttribution(system: unknown): system is readonly [unknown, ...unknown[]] {
  if (!Array.isArray(system)) return false;
  const first: unknown = system[0];
  return isRecord(first) && typeof first['text'] === 'string' && first['text'].startsWith(MARK);
}
