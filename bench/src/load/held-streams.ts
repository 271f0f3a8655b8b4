import { setTimeout as delay } from 'node:timers/promises';
import { Connections } from './connection.ts';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** Streams opened together, and the pause after them; a thundering herd is a different experiment. */
const OPENED_TOGETHER = 10;
const PAUSE_MS = 20;

/** Streams that stay open during a measurement. */
export class HeldStreams {
  #connections = new Connections();
  #tally = new Tally();

  /** Opens streams, a few at a time; resolves when each has its first event or has failed. */
  async hold({ route, spec, streams }: Extract<LoadCommand, { kind: 'hold' }>): Promise<LoadResult> {
    const send = this.#connections.sender(route, spec);
    const tally = new Tally();
    this.#tally = tally;
    const opened: Promise<void>[] = [];
    while (opened.length < streams) {
      opened.push(new Promise((resolve) => send(tally, resolve, resolve)));
      if (opened.length % OPENED_TOGETHER === 0) await delay(PAUSE_MS);
    }
    await Promise.all(opened);
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
