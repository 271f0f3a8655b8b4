import type { Logger } from '@tollgate/common/logging';
import { Charge } from '@tollgate/proto/ledger';
import type { Journal } from '../journal/journal.ts';
import type { Segment } from '../journal/segment.ts';
import type { SettleSender } from './settle-sender.ts';

export interface ReplayOptions {
  journal: Journal;
  sender: SettleSender;
  logger: Logger;
  /** A session of an earlier run has no charges left to settle. */
  sessionReplayed: (sessionId: string) => void;
}

/**
 * Settles the records that the journal still keeps: of earlier runs, and of this one after a failover of the database. The
 * newest charges go first, since the ledger most likely lacks those.
 */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #earlierSessions = new Set<string>();
  readonly #unreadableSessions = new Set<string>();
  /** Records that were read and are not acknowledged yet. */
  #unsettled = 0;
  #running = false;
  #run = Promise.resolve();
  #stopped = false;
  #wake: (() => void) | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Whether segments are being settled, or records of them still lack an acknowledgement. */
  get running(): boolean {
    return this.#running;
  }

  /** Settles the journal's backlog, one segment at a time. Resolves when none is left, or after `stop`. */
  run(): Promise<void> {
    if (!this.#running) {
      this.#running = true;
      this.#run = this.#work();
    }
    this.#wake?.();
    return this.#run;
  }

  async #work(): Promise<void> {
    try {
      while (!this.#stopped) {
        const next = this.#options.journal.backlog().at(-1);
        if (next !== undefined) await this.#replay(next);
        else if (this.#unsettled > 0) await this.#nextChange();
        else break;
      }
    } finally {
      this.#running = false;
    }
    if (this.#stopped) return;
    for (const sessionId of this.#earlierSessions) {
      if (!this.#unreadableSessions.has(sessionId)) this.#options.sessionReplayed(sessionId);
    }
    this.#earlierSessions.clear();
  }

  /** Starts no further segment. */
  stop(): void {
    this.#stopped = true;
    this.#wake?.();
  }

  /** Resolves when the last record is acknowledged, when there may be more segments, or after `stop`. */
  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Sends a segment's records. Resolves when each is acknowledged, or isolated so that it delays no others. */
  async #replay(segment: Segment): Promise<void> {
    const { journal, sender, logger } = this.#options;
    const payloads = await journal.readBacklog(segment);
    if (segment.fromEarlierRun) this.#earlierSessions.add(segment.sessionId);
    if (payloads === undefined) this.#unreadableSessions.add(segment.sessionId);
    if (payloads === undefined) return;
    const charges = payloads.reverse().flatMap((payload) => this.#chargeOf(payload, segment) ?? []);
    if (charges.length < payloads.length) await journal.keepDamagedCopy(segment);
    for (let rest = payloads.length - charges.length; rest > 0; rest -= 1) journal.acknowledge(segment);
    if (charges.length === 0) return;
    logger.info({ path: segment.path, records: charges.length }, 'settling journal records again');
    this.#unsettled += charges.length;
    await new Promise<void>((resolve) => {
      let remaining = charges.length;
      const pass = () => {
        remaining -= 1;
        if (remaining === 0) resolve();
      };
      for (const charge of charges) {
        const { settled, isolated } = this.#recordOf(segment, pass);
        sender.sendAgain({ ...charge, segment, settled, isolated });
      }
    });
  }

  /** Callbacks of one record; `pass` is called once. */
  #recordOf(segment: Segment, pass: () => void): { settled: () => void; isolated: () => void } {
    let passed = false;
    const isolated = () => {
      if (!passed) pass();
      passed = true;
    };
    const settled = () => {
      this.#options.journal.acknowledge(segment);
      this.#unsettled -= 1;
      isolated();
      if (this.#unsettled === 0) this.#wake?.();
    };
    return { settled, isolated };
  }

  /**
   * Records the session of a charge, and when it ended. A record that is not a charge would make the ledger fail on its
   * batch.
   */
  #chargeOf(payload: Uint8Array, segment: Segment): { payload: Uint8Array; pendingSinceMs: number } | undefined {
    try {
      const { sessionId, startedAtMs, durationMs } = Charge.decode(payload);
      if (segment.fromEarlierRun) this.#earlierSessions.add(sessionId);
      return { payload, pendingSinceMs: Number(startedAtMs) + durationMs };
    } catch (error) {
      this.#options.logger.error(
        { path: segment.path, err: error },
        'a journal record is not a charge: it is skipped, and a copy of its segment is kept',
      );
      return undefined;
    }
  }
}
