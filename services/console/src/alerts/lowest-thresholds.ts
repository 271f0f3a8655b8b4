import { thresholdOf } from './alert-text.ts';
import type { AlertingEvent } from './queue-mails.ts';

/** Of the events of a balance that fell past several thresholds at once, keeps the one of the lowest: the others say less. */
export function lowestThresholds(events: readonly AlertingEvent[]): AlertingEvent[] {
  const lowest = new Map<string, number>();
  for (const event of events) {
    const threshold = thresholdOf(event);
    if (threshold === undefined) continue;
    lowest.set(fallOf(event), Math.min(threshold, lowest.get(fallOf(event)) ?? threshold));
  }
  return events.filter((event) => {
    const threshold = thresholdOf(event);
    return threshold === undefined || threshold === lowest.get(fallOf(event));
  });
}

/** Events of one transaction have the same time. */
function fallOf({ accountId, createdAtMs }: AlertingEvent): string {
  return `${accountId} ${createdAtMs}`;
}
