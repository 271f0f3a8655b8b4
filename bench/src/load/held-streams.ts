import { setTimeout as delay } from 'node:timers/promises';
import { Connections } from './connection.ts';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** Concurrent openings; a thundering herd is a different experiment. */
const OPENING_AT_ONCE = 200;

/** Streams that stay open during a measurement. */
export class HeldStreams {
  #connections = new Connections();
  #tally = new Tally();

  /** Opens streams, a few at a time; resolves when each has its first event or has failed. */
  async hold({ route, spec, streams }: Extract<LoadCommand, { kind: 'hold' }>): Promise<LoadResult> {
    const send = this.#connections.sender(route, spec);
    const tally = new Tally();
    this.#tally = tally;
    let opened = 0;
    const openOne = () =>
      new Promise<void>((resolve) => {
        opened += 1;
        send(tally, resolve, resolve);
      });
    const openInTurn = async () => {
      while (opened < streams) await openOne();
    };
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, streams) }, openInTurn));
    return tally.result();
  }

  /** Counts the events of a period, and the requests that end in it, which invalidate the result. */
  async watch({ durationMs }: Extract<LoadCommand, { kind: 'watch' }>): Promise<LoadResult> {
    const { events } = this.#tally;
    const startedAt = performance.now();
    await delay(durationMs);
    return { ...this.#tally.result(), events: this.#tally.events - events, elapsedMs: performance.now() - startedAt };
  }

  /** Disconnects from all streams. */
  async leave(): Promise<LoadResult> {
    const result = this.#tally.result();
    const connections = this.#connections;
    this.#connections = new Connections();
    await connections.close();
    return result;
  }
}
