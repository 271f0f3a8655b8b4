import type { WatcherRow } from '../store/watchers.ts';

/** Added to the time of trust when waiting for its end, because clocks run at different speeds. */
const TRUST_MARGIN_MS = 100;

/** Rows of watchers, and when they were read, by a monotonic clock. */
export interface WatchersRead {
  rows: readonly WatcherRow[];
  fromMs: number;
  toMs: number;
}

/**
 * Decides which watchers no longer trust cached records, by this process's clock alone.
 *
 * A watcher trusts for a time that starts when it sends a ping, and the heartbeat of that ping is in its row before the ping
 * is confirmed. If a row is unchanged after `trust`, all pings confirmed meanwhile were sent before the first read, so their
 * trust has ended. No clock of the database or of another process is involved, so it holds when they jump. It also holds for
 * a process that has just started, which only waits longer.
 */
export class WatcherSilence {
  readonly #trustMs: number;
  readonly #seen = new Map<string, { heartbeat: string; sinceMs: number }>();

  /** @param trustMs the minimum for every watcher: this auth may have granted it since its row was read */
  constructor(trustMs: number) {
    this.#trustMs = trustMs;
  }

  /** Records rows that were read. @returns the watchers that may still trust, and those that cannot */
  judge({ rows, fromMs, toMs }: WatchersRead): { live: WatcherRow[]; silent: WatcherRow[] } {
    const live: WatcherRow[] = [];
    const silent: WatcherRow[] = [];
    for (const row of rows) {
      const seen = this.#seen.get(row.watcher_id);
      const isNew = seen?.heartbeat !== row.heartbeat;
      if (isNew) this.#seen.set(row.watcher_id, { heartbeat: row.heartbeat, sinceMs: toMs });
      const waitMs = Math.max(row.trust_ms, this.#trustMs) + TRUST_MARGIN_MS;
      const isSilent = !isNew && fromMs - seen.sinceMs >= waitMs;
      (isSilent ? silent : live).push(row);
    }
    return { live, silent };
  }

  /** Removes all watchers but these rows'. */
  retain(rows: readonly WatcherRow[]): void {
    const kept = new Set(rows.map((row) => row.watcher_id));
    for (const watcherId of this.#seen.keys()) if (!kept.has(watcherId)) this.#seen.delete(watcherId);
  }
}
