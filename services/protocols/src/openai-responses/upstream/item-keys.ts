import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/**
 * Identifies the items that events of a stream belong to. Some upstreams change the ids of items from event to event, so an
 * item is known by its index. Those without an index, such as llama.cpp, keep their ids. Others, such as vLLM, have the index
 * of the next item in the last events of an item: these are known by the id.
 */
export class ItemKeys {
  readonly #known = new Set<string>();
  /** The keys of items that have not ended, by their ids. */
  readonly #open = new Map<string, string>();

  keyOf(type: string, event: JsonRecord): string {
    const id = stringOr(event['item_id']) || stringOr(recordOr(event['item'])['id']);
    const index = event['output_index'];
    const own = typeof index === 'number' ? String(index) : id;
    if (type.endsWith('.delta') && this.#known.has(own)) return own;
    const isEnd = type.endsWith('.done');
    const key = isEnd && !this.#known.has(own) ? (this.#open.get(id) ?? own) : own;
    this.#known.add(key);
    if (type === 'response.output_item.done') this.#open.delete(id);
    else if (!isEnd && id !== '') this.#open.set(id, key);
    return key;
  }
}
