import type { UsageRow } from '@tollgate/proto/ledger';
import { renderTime } from '../render/time.ts';
import { renderUsageRow } from '../render/usage.ts';
import { renderTotal, subtract, sumBy, type UsageTotal } from './sums.ts';

/**
 * The usage of some keys over time, followed by that of all other keys together, in rows without a key.
 *
 * @param all of the whole account by interval, however grouped
 * @param named of the keys by interval. Read a moment later, it may contain a request more: others never get below zero.
 */
export function renderKeysOverTime(all: readonly UsageRow[], named: readonly UsageRow[]) {
  const namedByStart = sumBy(named, ({ startMs }) => startMs);
  const others = [...sumBy(all, ({ startMs }) => startMs)].map(([startMs, total]) => {
    const own = namedByStart.get(startMs);
    return { startMs, total: own === undefined ? total : subtract(total, own) };
  });
  return [
    ...named.map(renderUsageRow),
    ...others
      .filter(({ total }) => isSome(total))
      .map(({ startMs, total }) => ({
        start: renderTime(startMs),
        model: null,
        key_id: null,
        ...renderTotal(total),
      })),
  ];
}

function isSome({ requests, tokens, nanos }: UsageTotal): boolean {
  return requests > 0 || tokens > 0 || nanos > 0n;
}
