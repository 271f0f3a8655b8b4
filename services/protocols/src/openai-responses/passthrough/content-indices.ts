import type { JsonRecord } from '../../json/record.ts';

/**
 * The `content_index` of events in a stream. Some upstreams count it across items or by event, but clients of OpenAI look the
 * part up among those that the item has by then.
 */
export class ContentIndices {
  /** How many parts were added to each item, by the item's index. */
  readonly #counts = new Map<unknown, number>();

  /** The index that an event needs instead of its own; undefined if its own is right. */
  correction(type: string, event: JsonRecord): number | undefined {
    const { content_index: index, output_index: item } = event;
    const isAdded = type.endsWith('_part.added');
    if (typeof index !== 'number' || (index === 0 && !isAdded)) return undefined;
    const count = this.#counts.get(item) ?? 0;
    if (isAdded) this.#counts.set(item, count + 1);
    else if (index < count || count === 0) return undefined;
    const last = isAdded ? count : count - 1;
    return index === last ? undefined : last;
  }
}
