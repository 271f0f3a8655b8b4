import type { Logger } from '@tollgate/common/logging';
import { type Clock, systemClock } from '../journal/clock.ts';
import { payloadOf } from '../journal/frame.ts';
import { Journal } from '../journal/journal.ts';
import type { AccountContext, AccountCredit } from './account-credit.ts';
import type { CapContext } from './caps/cap-credit.ts';
import { CappedHolds, type CappedRequest } from './caps/capped-holds.ts';
import { encodeCharge } from './charge-record.ts';
import { smaller } from './lease.ts';
import { type HoldEnding, OpenHold } from './open-hold.ts';
import { Replay } from './replay.ts';
import { SessionKeeper } from './session-keeper.ts';
import { SettleSender } from './settle-sender.ts';
import {
  type ChargeOptions,
  type ChargeRecord,
  type CreditDeskOptions,
  type CreditLimits,
  type CreditStats,
  DEFAULT_LIMITS,
  type HoldRequest,
  type HoldResult,
  type UnavailableReason,
} from './types.ts';
import { UnsettledCharge } from './unsettled-charge.ts';

const SWEEP_INTERVAL_MS = 1_000;
const JOURNAL_RETRY_MS = 1_000;

/** How often a drain looks whether everything is settled. */
const DRAIN_POLL_MS = 10;

/** The last part of a drain's time, in which what was still open by then is charged and settled. */
const SHARE_FOR_ENDED = 0.25;

/**
 * Where the request path gets credit and leaves charges. Holds are taken from leases in memory, without a promise when
 * the lease on hand suffices; charges go to the journal, and from there to the ledger in the background.
 */
export class CreditDesk {
  readonly #options: CreditDeskOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #limits: CreditLimits;
  readonly #sender: SettleSender;
  readonly #keeper: SessionKeeper;
  readonly #ending: HoldEnding;
  readonly #context: AccountContext;
  readonly #capped: CappedHolds;
  #journal: Journal | undefined;
  #replay: Replay | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #draining = false;
  #stopped = false;
  #drained: Promise<void> | undefined;
  #waiting = 0;
  #openHolds = 0;
  #unwritten = 0;

  constructor(options: CreditDeskOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#ending = {
      charged: (hold, record, chargeOptions) => this.#charged(hold, record, chargeOptions),
      released: (hold) => this.#released(hold),
    };
    const shared = { client: options.ledger, logger: options.logger, clock: this.#clock };
    this.#sender = new SettleSender(shared);
    this.#context = this.#accountContext();
    const capContext = {
      ...this.#context,
      acquireCap: (cap, lackNanos, ahead) => this.#keeper.acquireCap(cap, lackNanos, ahead),
      sendReturnCap: (cap) => this.#keeper.sendReturnCap(cap),
    } satisfies CapContext;
    this.#capped = new CappedHolds({
      limits: this.#limits,
      context: this.#context,
      capContext,
      session: () => this.#keeper.current,
      again: (request, sessions) => this.#hold(request, sessions),
    });
    this.#keeper = new SessionKeeper({
      ...shared,
      ingressName: options.ingressName,
      context: this.#context,
      capContext,
      begun: async (sessionId) => this.#journal?.begin(sessionId),
      databaseChanged: () => this.#settleAgain(),
    });
  }

  /**
   * Opens the journal, begins to replay it, and opens the session. Resolves when holds can be made, or after the first
   * attempt has failed; attempts go on.
   */
  async start(): Promise<void> {
    this.#sweep = setInterval(() => this.#sweepAll(), SWEEP_INTERVAL_MS);
    this.#sweep.unref();
    if (await this.#openJournal()) await this.#keeper.start();
  }

  /** Whether holds can be made now, credit permitting. */
  ready(): boolean {
    return this.#refusal() === undefined && this.#journal?.healthy === true;
  }

  /** What is wrong with this process's clock, in words; undefined when nothing is, or nothing is known yet. */
  clockProblem(): string | undefined {
    return this.#keeper.clock.problem();
  }

  /**
   * Takes credit for a request: at once, without a promise, when the leases on hand suffice.
   *
   * @throws RangeError unless 0 <= minNanos <= maxNanos
   */
  hold(request: HoldRequest): HoldResult | Promise<HoldResult> {
    return this.#hold(request, 0);
  }

  #hold(request: HoldRequest, sessions: number): HoldResult<OpenHold> | Promise<HoldResult<OpenHold>> {
    if (request.minNanos < 0n || request.maxNanos < request.minNanos) {
      throw new RangeError('a hold needs 0 <= minNanos <= maxNanos');
    }
    if (request.signal.aborted) return { kind: 'aborted' };
    const refused = this.#refusal();
    if (refused !== undefined && !this.#soonOpen()) return { kind: 'unavailable', reason: refused };
    if (this.#journal?.reserve() !== true) return { kind: 'unavailable', reason: 'journal' };
    if (isCapped(request)) return this.#holdCapped(request, refused === undefined, sessions);
    const account = this.#keeper.current.account(request.accountId, this.#context);
    if (refused === undefined && account.tryHold(request.maxNanos)) {
      return { kind: 'held', hold: this.#holdOf(account, request.maxNanos) };
    }
    return this.#wait(account.waiting, () => account.wait(request));
  }

  #holdCapped(
    request: CappedRequest,
    open: boolean,
    sessions: number,
  ): HoldResult<OpenHold> | Promise<HoldResult<OpenHold>> {
    const hold = open ? this.#capped.tryHold(request) : undefined;
    if (hold !== undefined) return { kind: 'held', hold };
    return this.#wait(this.#capped.waiting(request), () => this.#capped.wait(request, sessions));
  }

  /**
   * Stops making holds, settles what is journaled, charges of earlier runs included, returns the leases and closes the
   * session. What could not be settled within the time stays in the journal for the next start, and is logged as an error.
   *
   * @param endOpen ends requests that still hold credit, so that they are charged; called with a quarter of the time left
   */
  drain(graceMs: number, endOpen: () => void = () => undefined): Promise<void> {
    this.#drained ??= this.#drain(graceMs, endOpen);
    return this.#drained;
  }

  async #drain(graceMs: number, endOpen: () => void): Promise<void> {
    const deadline = this.#clock.monotonicMs() + graceMs;
    const leftMs = () => deadline - this.#clock.monotonicMs();
    this.#draining = true;
    const session = this.#keeper.current;
    session.refuseAll({ kind: 'unavailable', reason: 'session' });
    while (this.#openHolds > 0 && leftMs() > graceMs * SHARE_FOR_ENDED) await pause(DRAIN_POLL_MS);
    if (this.#openHolds > 0) {
      this.#logger.warn({ open: this.#openHolds }, 'requests that outlast the stop are ended and charged');
      endOpen();
    }
    while (!this.#settled() && leftMs() > 0) await pause(DRAIN_POLL_MS);
    // Until the session is closed, another database may turn out to lack what was settled: the replay goes on till then.
    if (this.#settled() && !this.#keeper.opening) {
      await Promise.race([this.#keeper.closeCurrent(), pause(Math.max(0, leftMs()))]);
    }
    if (!this.#settled()) {
      session.returnFree();
      this.#logger.error({ ...this.stats() }, 'stopped before everything was settled; the journal keeps the rest');
    }
    this.#replay?.stop();
    await this.#stop();
  }

  stats(): CreditStats {
    const journal = this.#journal?.stats();
    return {
      sessionId: this.#keeper.current.id,
      journalRecords: journal?.records ?? 0,
      journalUnread: journal?.unread ?? 0,
      journalBytes: journal?.bytes ?? 0,
      journalDamaged: journal?.damagedCopies ?? 0,
      journalFilled: journal?.filled ?? 0,
      openHolds: this.#openHolds,
      leases: this.#keeper.current.accounts.size,
      caps: this.#keeper.current.caps.size,
      waiting: this.#waiting,
      unsettled: this.#sender.unsettled,
      unwritten: this.#unwritten,
      clockAheadMs: this.#keeper.clock.aheadMs,
      ...this.#sender.counts,
    };
  }

  #accountContext(): AccountContext {
    return {
      limits: this.#limits,
      nowMs: () => this.#clock.monotonicMs(),
      lastSequence: () => this.#keeper.lastSequence,
      acquire: (lease, lackNanos, ahead) => this.#keeper.acquire(lease, lackNanos, ahead),
      sendReturn: (lease) => this.#keeper.sendReturn(lease),
      streamUp: () => this.#keeper.streamUp,
      refusal: () => this.#refusal(),
      holdOf: (account, nanos) => this.#holdOf(account, nanos),
      waiterDone: (result) => {
        this.#waiting -= 1;
        if (result.kind !== 'held') this.#journal?.release();
      },
    };
  }

  #refusal(): UnavailableReason | undefined {
    if (this.#draining) return 'session';
    if (this.#journal === undefined) return 'journal';
    return this.#keeper.refusal();
  }

  /**
   * Whether a session is just being opened, which is worth a short wait. Not by a wrong clock: it may be right by then, but
   * the request's id has the wrong time in it.
   */
  #soonOpen(): boolean {
    if (this.#draining || this.#keeper.clock.differs) return false;
    return this.#keeper.opening && this.#keeper.downMs < this.#limits.waitMs;
  }

  /** @param before requests that wait for the same */
  #wait(
    before: number,
    wait: () => Promise<HoldResult<OpenHold>>,
  ): HoldResult<OpenHold> | Promise<HoldResult<OpenHold>> {
    const refused = this.#refusalToWait(before);
    if (refused !== undefined) {
      this.#journal?.release();
      return refused;
    }
    this.#waiting += 1;
    return wait();
  }

  #refusalToWait(before: number): HoldResult<never> | undefined {
    if (this.#keeper.downMs >= this.#limits.waitMs) return { kind: 'unavailable', reason: 'ledger' };
    if (before >= this.#limits.waitersPerAccount || this.#waiting >= this.#limits.waiters) {
      return { kind: 'busy', retryAfterMs: this.#limits.retryAfterMs };
    }
    return undefined;
  }

  #holdOf(account: AccountCredit, nanos: bigint): OpenHold {
    account.session.openHolds += 1;
    this.#openHolds += 1;
    return new OpenHold(account, nanos, this.#ending);
  }

  #released(hold: OpenHold): void {
    this.#journal?.release();
    this.#endHold(hold, 0n);
    this.#keeper.closeIfFinished(hold.account.session);
  }

  #endHold({ account, caps, nanos }: OpenHold, chargedNanos: bigint): void {
    account.session.openHolds -= 1;
    this.#openHolds -= 1;
    account.endHold(nanos, chargedNanos);
    for (const cap of caps) cap.end(nanos, chargedNanos);
  }

  #charged(hold: OpenHold, record: ChargeRecord, options: ChargeOptions): Promise<void> {
    let frame: Uint8Array;
    try {
      frame = encodeCharge(record, hold);
    } catch (error) {
      this.#logger.error({ err: error, request_id: record.requestId }, 'a charge cannot be encoded and is lost');
      this.#released(hold);
      return Promise.reject(error);
    }
    if (this.#stopped) this.#logger.error({ request_id: record.requestId }, 'a charge came after the stop and is lost');
    const chargedNanos = smaller(record.costNanos, hold.nanos);
    hold.account.session.unsettled += 1;
    this.#endHold(hold, chargedNanos);
    return this.#append(frame, new UnsettledCharge(payloadOf(frame), hold, chargedNanos, this.#settledCharge), options);
  }

  async #append(frame: Uint8Array, charge: UnsettledCharge, options: ChargeOptions): Promise<void> {
    const { settledWithinMs = this.#limits.settleBeforeEndMs } = options;
    const settled = settledWithinMs > 0 ? charge.settledWithin(settledWithinMs) : undefined;
    await new Promise<void>((written) => {
      this.#journal?.append(frame, (segment) => {
        charge.segment = segment;
        if (segment === undefined) this.#unwritten += 1;
        this.#sender.send(charge);
        written();
      });
    });
    await settled;
  }

  readonly #settledCharge = (charge: UnsettledCharge, disputed: boolean): void => {
    const { account } = charge;
    this.#journal?.acknowledge(charge.segment);
    if (charge.segment === undefined) this.#unwritten -= 1;
    account.session.unsettled -= 1;
    account.lease.acknowledge(charge.chargedNanos, disputed);
    for (const cap of charge.caps) cap.acknowledge(charge.chargedNanos, disputed);
    this.#keeper.closeIfFinished(account.session);
    charge.acknowledged?.();
  };

  /** Opens the journal, or tries again later. @returns whether it is open */
  async #openJournal(): Promise<boolean> {
    const { journalDir, journalMaxBytes } = this.#options;
    try {
      const journal = await Journal.open({
        folder: journalDir,
        maxBytes: journalMaxBytes,
        maxRecords: this.#limits.journalMaxRecords,
        keepMs: this.#limits.journalKeepMs,
        logger: this.#logger,
        clock: this.#clock,
      });
      await journal.begin(this.#keeper.current.id);
      if (this.#draining) {
        await journal.close();
        return false;
      }
      this.#journal = journal;
      this.#replay = new Replay({
        journal,
        sender: this.#sender,
        logger: this.#logger,
        sessionReplayed: (sessionId) => this.#keeper.close(sessionId),
      });
      this.#runReplay();
      return true;
    } catch (error) {
      this.#logger.error({ err: error, folder: journalDir }, 'the journal cannot be opened');
      this.#retry = setTimeout(() => this.#openLater(), JOURNAL_RETRY_MS);
      return false;
    }
  }

  async #openLater(): Promise<void> {
    if (!this.#draining && (await this.#openJournal())) await this.#keeper.start();
  }

  #runReplay(): void {
    this.#replay?.run().catch((error: unknown) => {
      this.#logger.error({ err: error }, 'the journal cannot be replayed');
    });
  }

  /** Sessions are closed when all is settled again and not before: their leases in the other database cover it. */
  #settleAgain(): void {
    const releaseClosings = this.#keeper.holdClosings();
    const settle = async () => {
      await this.#journal?.replayKept();
      await this.#replay?.run();
      releaseClosings();
    };
    settle().catch((error: unknown) => {
      this.#logger.error({ err: error }, 'the journal cannot be settled again: sessions stay open until they expire');
    });
  }

  #sweepAll(): void {
    this.#keeper.current.sweep();
    this.#keeper.releaseRetired();
    this.#sender.checkProgress();
    this.#journal?.sweep();
  }

  #settled(): boolean {
    const { records, unread } = this.#journal?.stats() ?? { records: 0, unread: 0 };
    const { unsettled } = this.#sender;
    return this.#openHolds + unsettled + records + unread === 0 && this.#replay?.running !== true;
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#retry);
    this.#keeper.stop();
    this.#sender.stop();
    await this.#journal?.close();
  }
}

function isCapped(request: HoldRequest): request is CappedRequest {
  return request.capped !== undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
