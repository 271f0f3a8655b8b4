import { setTimeout as delay } from 'node:timers/promises';
import { Connections } from './connection.ts';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** A crowd that comes all at once is another experiment. */
const OPENING_AT_ONCE = 50;

/** Streams that stay open while something is measured. */
export class HeldStreams {
  #connections = new Connections();
  #tally = new Tally();

  /** Opens streams, some at a time; resolves when the first event of each has come, or it has failed. */
  async hold({ way, ask, streams }: Extract<LoadCommand, { kind: 'hold' }>): Promise<LoadResult> {
    const send = this.#connections.sender(way, ask);
    const tally = new Tally();
    this.#tally = tally;
    let opened = 0;
    const openOne = () =>
      new Promise<void>((resolve) => {
        opened += 1;
        send(tally, resolve, () => resolve());
      });
    const openInTurn = async () => {
      while (opened < streams) await openOne();
    };
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, streams) }, openInTurn));
    return tally.result();
  }

  /** Counts the events of a period. Requests that end in it invalidate the result, so they are counted too. */
  async watch({ durationMs }: Extract<LoadCommand, { kind: 'watch' }>): Promise<LoadResult> {
    const { events } = this.#tally;
    const startedAt = performance.now();
    await delay(durationMs);
    return { ...this.#tally.result(), events: this.#tally.events - events, elapsedMs: performance.now() - startedAt };
  }

  /** Leaves all streams, as clients do whose users have closed the window. */
  async leave(): Promise<LoadResult> {
    const result = this.#tally.result();
    const connections = this.#connections;
    this.#connections = new Connections();
    await connections.close();
    return result;
  }
}
