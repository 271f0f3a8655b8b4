import type { WatcherRow } from '../store/watchers.ts';

/** Added to the time of trust when waiting for it to pass, for clocks that run at different speeds. */
const TRUST_MARGIN_MS = 100;

/** Rows of watchers, and when they were read: milliseconds of a clock that never goes back. */
export interface WatchersRead {
  rows: readonly WatcherRow[];
  fromMs: number;
  toMs: number;
}

/**
 * Decides which watchers no longer trust cached records, by this process's clock alone.
 *
 * A watcher trusts for a time that it counts from the sending of a ping, and that ping's heartbeat is in its row before
 * the ping is answered. Where a row is found as it was `trust` before, all pings that may have been answered meanwhile were
 * sent before the first look, so their trust has ended. Neither the clock of the database nor that of another process has
 * a part in it, so it holds when they jump, and for a process that has just started: it only waits longer then.
 */
export class WatcherSilence {
  readonly #trustMs: number;
  readonly #seen = new Map<string, { heartbeat: string; sinceMs: number }>();

  /** @param trustMs the least that is assumed of a watcher: this auth may have granted it since its row was read */
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

  /** Removes all watchers but those of these rows. */
  retain(rows: readonly WatcherRow[]): void {
    const kept = new Set(rows.map((row) => row.watcher_id));
    for (const watcherId of this.#seen.keys()) if (!kept.has(watcherId)) this.#seen.delete(watcherId);
  }
}
