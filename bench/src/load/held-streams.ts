import { setTimeout as delay } from 'node:timers/promises';
import type { Connections } from './connection.ts';
import type { LoadCommand, LoadResult } from './messages.ts';
import { Tally } from './tally.ts';

/** Streams that stay open while something is measured. */
export class HeldStreams {
  readonly #connections: Connections;
  #tally = new Tally();
  #ended: Promise<void> = Promise.resolve();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Opens streams; resolves when the first event of each has come, or it has failed. */
  async hold({ way, ask, streams }: Extract<LoadCommand, { kind: 'hold' }>): Promise<LoadResult> {
    await this.#ended;
    const send = this.#connections.sender(way, ask);
    const tally = new Tally();
    this.#tally = tally;
    const begun: Promise<void>[] = [];
    const ended: Promise<void>[] = [];
    for (let index = 0; index < streams; index += 1) {
      const begin = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      begun.push(Promise.race([begin.promise, end.promise]));
      ended.push(end.promise);
      send(tally, end.resolve, () => begin.resolve());
    }
    this.#ended = Promise.all(ended).then(() => undefined);
    await Promise.all(begun);
    return tally.result();
  }

  /** Counts the events of a while. Requests that end meanwhile make the result useless, so they are told too. */
  async watch({ durationMs }: Extract<LoadCommand, { kind: 'watch' }>): Promise<LoadResult> {
    const { events, requests, failures } = this.#tally;
    const startedAt = performance.now();
    await delay(durationMs);
    const now = this.#tally.result();
    return {
      ...now,
      requests: now.requests - requests,
      failures: now.failures - failures,
      events: now.events - events,
      elapsedMs: performance.now() - startedAt,
    };
  }

  /** Waits until all have ended. */
  async release(): Promise<LoadResult> {
    await this.#ended;
    return this.#tally.result();
  }
}
