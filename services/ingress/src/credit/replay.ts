import type { Logger } from '@tollgate/common/logging';
import { Charge } from '@tollgate/proto/ledger';
import type { Journal } from '../journal/journal.ts';
import type { Segment } from '../journal/segment.ts';
import type { SettleSender } from './settle-sender.ts';

export interface ReplayOptions {
  journal: Journal;
  sender: SettleSender;
  logger: Logger;
  /** A session of an earlier run has nothing more to settle. */
  sessionReplayed: (sessionId: string) => void;
}

/** Settles what the journal still holds: of earlier runs, and of this one after a failover of the database. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #earlierSessions = new Set<string>();
  readonly #unreadableSessions = new Set<string>();
  #running = false;
  #run = Promise.resolve();
  #stopped = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Works through the journal's backlog, a segment at a time. Resolves when nothing is left of it, or after `stop`. */
  run(): Promise<void> {
    if (!this.#running) {
      this.#running = true;
      this.#run = this.#work();
    }
    return this.#run;
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#replay(next);
    } finally {
      this.#running = false;
    }
    if (this.#stopped) return;
    for (const sessionId of this.#earlierSessions) {
      if (!this.#unreadableSessions.has(sessionId)) this.#options.sessionReplayed(sessionId);
    }
    this.#earlierSessions.clear();
  }

  /** Begins no further segment. */
  stop(): void {
    this.#stopped = true;
  }

  #next(): Segment | undefined {
    return this.#stopped ? undefined : this.#options.journal.backlog()[0];
  }

  async #replay(segment: Segment): Promise<void> {
    const { journal, sender, logger } = this.#options;
    const payloads = await journal.readBacklog(segment);
    if (segment.fromEarlierRun) this.#earlierSessions.add(segment.sessionId);
    if (payloads === undefined) this.#unreadableSessions.add(segment.sessionId);
    if (payloads === undefined || payloads.length === 0) return;
    logger.info({ path: segment.path, records: payloads.length }, 'journal records are settled again');
    await new Promise<void>((resolve) => {
      let left = payloads.length;
      const settled = () => {
        journal.acknowledge(segment);
        left -= 1;
        if (left === 0) resolve();
      };
      for (const payload of payloads) {
        if (this.#isCharge(payload, segment)) sender.sendAgain({ payload, segment, settled });
        else settled();
      }
    });
  }

  /** Notes the record's session. What is no charge would only make the ledger fail on its whole batch. */
  #isCharge(payload: Uint8Array, segment: Segment): boolean {
    try {
      const { sessionId } = Charge.decode(payload);
      if (segment.fromEarlierRun) this.#earlierSessions.add(sessionId);
      return true;
    } catch (error) {
      this.#options.logger.error(
        { path: segment.path, err: error },
        'a journal record is not a charge, and is left out',
      );
      return false;
    }
  }
}
