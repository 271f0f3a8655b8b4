import { isForeignOpaque } from '../../canonical/opaque.ts';
import type { InputItem } from '../client/items.ts';
import type { ItemOf } from '../shared/schema.ts';

/**
 * Indices of reasoning items that the provider would reject: made by another provider, or without their content, which
 * the provider would look up in its account.
 */
export function foreignReasoning(items: readonly InputItem[]): number[] {
  return items.flatMap((parsed, index) => (parsed.kind === 'reasoning' && !isReadable(parsed.item) ? [index] : []));
}

export function isReadable({ encrypted_content: encrypted, content }: ItemOf<'reasoning'>): boolean {
  if (typeof encrypted === 'string' && encrypted !== '') return !isForeignOpaque(encrypted, 'openai-responses');
  return content !== undefined && content !== null && content.length > 0;
}
