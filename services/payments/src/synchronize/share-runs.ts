import type { Synchronize } from './synchronize.ts';

/** What runs of one payment, and the next run, which those who came in the meantime wait for. */
interface Running {
  current: Promise<unknown>;
  next: Promise<number> | undefined;
}

/**
 * Lets one run of a payment follow another: the events of a payment arrive together, and would ask the provider and compete for
 * the row at once. Those that come during a run share the next one, which sees whatever they are about.
 *
 * @returns as Synchronize; of those who share a run, the first is told what it booked, and the others none
 */
export function shareRuns(synchronize: Synchronize): Synchronize {
  const running = new Map<string, Running>();

  const start = (key: string, run: () => Promise<number>): Promise<number> => {
    const current = run();
    const entry: Running = { current, next: undefined };
    running.set(key, entry);
    const end = () => {
      if (running.get(key) === entry && entry.next === undefined) running.delete(key);
    };
    current.then(end, end);
    return current;
  };

  return async (ref) => {
    const key = ref.providerPayment ?? ref.checkoutId ?? '';
    const entry = running.get(key);
    if (entry === undefined) return start(key, () => synchronize(ref));
    if (entry.next !== undefined) {
      await entry.next;
      return 0;
    }
    const begin = () => start(key, () => synchronize(ref));
    // Whoever waits for the current run is told of its failure.
    entry.next = entry.current.then(begin, begin);
    return entry.next;
  };
}
