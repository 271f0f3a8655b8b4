import { isObject } from '../validation/fields.ts';

const MARK = 'x-anthropic-billing-header:';

/**
 * The system prompt as Anthropic reads it: Claude Code's attribution is removed if it is the first block.
 * https://code.claude.com/docs/en/llm-gateway-protocol#system-prompt-attribution-block
 */
export function withoutAttribution<System>(system: System): System {
  if (!Array.isArray(system)) return system;
  const first: unknown = system[0];
  const text = isObject(first) ? first['text'] : undefined;
  return typeof text === 'string' && text.startsWith(MARK) ? (system.slice(1) as System & unknown[]) : system;
}
