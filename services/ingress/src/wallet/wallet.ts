import { type Clock, systemClock } from '@tollgate/common/clock';
import type { Logger } from '@tollgate/common/logging';
import { minBigInt } from '@tollgate/common/money';
import type { AccountContext, AccountCredit } from './credit/account-credit.ts';
import { ChargePipeline } from './credit/charge-pipeline.ts';
import { type HoldListener, OpenHold } from './credit/open-hold.ts';
import type { Path } from './credit/path.ts';
import { SessionManager } from './credit/session-manager.ts';
import {
  type CaptureOptions,
  type ChargeRecord,
  type CreditLimits,
  type CreditStats,
  DEFAULT_CREDIT_LIMITS,
  type HoldRequest,
  type HoldResult,
  type UnavailableReason,
  type WalletOptions,
} from './credit/types.ts';
import { encodeCharge, UnsettledCharge } from './credit/unsettled-charge.ts';
import { payloadOf } from './journal/frame.ts';

const SWEEP_INTERVAL_MS = 1_000;
const JOURNAL_RETRY_MS = 1_000;

/** How often a drain checks whether everything is settled. */
const DRAIN_POLL_MS = 10;

/**
 * The last part of a drain's time, in which requests that are still open are ended, charged and settled. It is most of it, because
 * requests had time to end before, and a charge that is not in the journal in time is lost: the first text whose tokens are counted
 * waits until the encoding is loaded.
 */
const FINAL_DRAIN_SHARE = 0.9;

/**
 * Gives credit to requests and takes their charges. Holds are taken from leases in memory, synchronously when the lease
 * suffices; charges go to the journal, and from there to the ledger in the background.
 */
export class Wallet {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #limits: CreditLimits;
  readonly #journalDir: string;
  readonly #charges: ChargePipeline;
  readonly #sessions: SessionManager;
  readonly #listener: HoldListener;
  readonly #context: AccountContext;
  #sweepTimer: NodeJS.Timeout | undefined;
  #openTimer: NodeJS.Timeout | undefined;
  #draining = false;
  #drained: Promise<void> | undefined;
  #waiting = 0;
  #openHolds = 0;

  constructor(options: WalletOptions) {
    this.#logger = options.logger;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...DEFAULT_CREDIT_LIMITS, ...options.limits };
    this.#journalDir = options.journalDir;
    this.#listener = {
      capture: (hold, record, captureOptions) => this.#capture(hold, record, captureOptions),
      release: (hold) => this.#release(hold),
    };
    this.#charges = new ChargePipeline({
      ledger: options.ledger,
      journalDir: options.journalDir,
      journalMaxBytes: options.journalMaxBytes,
      limits: this.#limits,
      logger: options.logger,
      clock: this.#clock,
      sessionReplayed: (sessionId) => this.#sessions.close(sessionId),
    });
    this.#context = this.#accountContext();
    this.#sessions = new SessionManager({
      client: options.ledger,
      logger: options.logger,
      clock: this.#clock,
      ingressName: options.ingressName,
      context: this.#context,
      recordSession: (sessionId) => this.#charges.recordSession(sessionId),
      settlement: () => this.#charges.settlement(),
      databaseChanged: () => this.#settleAgain(),
    });
  }

  /**
   * Opens the journal, begins to replay it, and opens the session. Resolves when holds can be made, or after the first
   * attempt has failed; attempts go on.
   */
  async start(): Promise<void> {
    this.#sweepTimer = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
    this.#sweepTimer.unref();
    await this.#open();
  }

  /** Whether holds can be made now, credit permitting. */
  ready(): boolean {
    return this.#unavailableReason() === undefined && this.#charges.isHealthy;
  }

  /** Describes a wrong clock of this process; undefined if it is right or not compared yet. */
  clockProblem(): string | undefined {
    return this.#sessions.clock.problem();
  }

  /**
   * Holds credit for a request: synchronously, without a promise, when the leases suffice.
   *
   * @throws RangeError unless 0 <= minNanos <= maxNanos
   */
  hold(request: HoldRequest): HoldResult | Promise<HoldResult> {
    if (request.minNanos < 0n || request.maxNanos < request.minNanos) {
      throw new RangeError('a hold needs 0 <= minNanos <= maxNanos');
    }
    if (request.signal.aborted) return { kind: 'aborted' };
    const reason = this.#unavailableReason();
    if (reason !== undefined && !this.#isOpening()) return { kind: 'unavailable', reason };
    if (!this.#charges.reserve()) return { kind: 'unavailable', reason: 'journal' };
    const account = this.#sessions.current.account(request.accountId, this.#context);
    const hold = reason === undefined ? account.tryHold(request) : undefined;
    return hold === undefined ? this.#wait(account, request) : { kind: 'held', hold };
  }

  /** Settles charges that wait to be settled together: something waits for one of them. */
  settleNow(): void {
    this.#charges.sendNow();
  }

  /**
   * Stops making holds, settles the journal's charges, those of earlier runs included, returns the leases and closes the
   * session. What is not settled in time stays in the journal for the next start, and is logged as an error.
   *
   * @param endOpen ends requests that still hold credit, so that they are charged; called with nine tenths of the time left
   */
  drain(graceMs: number, endOpen: () => void = () => undefined): Promise<void> {
    this.#drained ??= this.#drain(graceMs, endOpen);
    return this.#drained;
  }

  async #drain(graceMs: number, endOpen: () => void): Promise<void> {
    const deadline = this.#clock.monotonicMs() + graceMs;
    const leftMs = () => deadline - this.#clock.monotonicMs();
    this.#draining = true;
    const session = this.#sessions.current;
    session.rejectAll({ kind: 'unavailable', reason: 'session' });
    while (this.#openHolds > 0 && leftMs() > graceMs * FINAL_DRAIN_SHARE) await pause(DRAIN_POLL_MS);
    if (this.#openHolds > 0) {
      this.#logger.warn({ open: this.#openHolds }, 'ending and charging requests that outlast the stop');
      endOpen();
    }
    while (!this.#isSettled() && leftMs() > 0) {
      this.settleNow();
      await pause(DRAIN_POLL_MS);
    }
    // The replay continues until the session is closed: until then another database may be found to lack settled charges.
    if (this.#isSettled() && !this.#sessions.opening) {
      await Promise.race([this.#sessions.closeCurrent(), pause(Math.max(0, leftMs()))]);
    }
    if (!this.#isSettled()) {
      session.returnFree();
      this.#logger.error({ ...this.stats() }, 'stopped before all charges were settled; the journal keeps the rest');
    }
    this.#charges.stopReplay();
    await this.#stop();
  }

  /** What open requests of an account hold at this ingress. */
  heldNanos(accountId: string): bigint {
    return this.#sessions.current.accounts.get(accountId)?.balance.heldNanos ?? 0n;
  }

  /** Whether an account can pay for anything. The ledger is asked only if none of its credit is leased here; without a response: false. */
  async hasCredit(accountId: string): Promise<boolean> {
    const balance = this.#sessions.current.accounts.get(accountId)?.balance;
    if (balance !== undefined && balance.heldNanos + balance.freeNanos > 0n) return true;
    const { signal } = new AbortController();
    const result = await this.hold({ accountId, maxNanos: 1n, minNanos: 1n, signal });
    if (result.kind === 'held') result.hold.release();
    return result.kind === 'held' || result.kind === 'busy';
  }

  stats(): CreditStats {
    const { journal, ...charges } = this.#charges.stats();
    return {
      sessionId: this.#sessions.current.id,
      journalRecords: journal?.records ?? 0,
      journalUnread: journal?.unread ?? 0,
      journalBytes: journal?.bytes ?? 0,
      journalDamaged: journal?.damagedCopies ?? 0,
      journalFilled: journal?.filled ?? 0,
      openHolds: this.#openHolds,
      leases: this.#sessions.current.accounts.size,
      caps: this.#sessions.current.limits,
      waiting: this.#waiting,
      clockAheadMs: this.#sessions.clock.aheadMs,
      ...charges,
    };
  }

  #accountContext(): AccountContext {
    return {
      limits: this.#limits,
      nowMs: () => this.#clock.monotonicMs(),
      lastSequence: () => this.#sessions.lastSequence,
      acquire: (create) => this.#sessions.acquire(create),
      sendReturn: (account, lease) => this.#sessions.sendReturn(account, lease),
      streamUp: () => this.#sessions.streamUp,
      unavailableReason: () => this.#unavailableReason(),
      createHold: (account, path, nanos) => this.#createHold(account, path, nanos),
      waiterFinished: (result) => {
        this.#waiting -= 1;
        if (result.kind !== 'held') this.#charges.releaseReservation();
      },
    };
  }

  #unavailableReason(): UnavailableReason | undefined {
    if (this.#draining) return 'session';
    if (!this.#charges.isOpen) return 'journal';
    return this.#sessions.unavailableReason();
  }

  /**
   * Whether a session is being opened, which is worth a short wait. Not with a wrong clock: it may be right by then, but
   * the request's id carries the wrong time.
   */
  #isOpening(): boolean {
    if (this.#draining || this.#sessions.clock.differs) return false;
    return this.#sessions.opening && this.#sessions.downMs < this.#limits.waitMs;
  }

  #wait(account: AccountCredit, request: HoldRequest): HoldResult | Promise<HoldResult> {
    const rejected = this.#rejectWait(account.waiting);
    if (rejected !== undefined) {
      this.#charges.releaseReservation();
      return rejected;
    }
    this.#waiting += 1;
    return account.wait(request);
  }

  /** Why a request cannot wait; undefined when it can. */
  #rejectWait(queued: number): HoldResult<never> | undefined {
    if (this.#sessions.downMs >= this.#limits.waitMs) return { kind: 'unavailable', reason: 'ledger' };
    if (queued >= this.#limits.waitersPerAccount || this.#waiting >= this.#limits.waiters) {
      return { kind: 'busy', retryAfterMs: this.#limits.retryAfterMs, limit: undefined };
    }
    return undefined;
  }

  #createHold(account: AccountCredit, path: Path, nanos: bigint): OpenHold {
    account.session.openHolds += 1;
    this.#openHolds += 1;
    return new OpenHold(account, path, nanos, this.#listener);
  }

  #release(hold: OpenHold): void {
    this.#charges.releaseReservation();
    this.#endHold(hold, 0n);
    this.#sessions.closeIfFinished(hold.account.session);
  }

  #endHold({ account, leases, nanos }: OpenHold, chargedNanos: bigint): void {
    account.session.openHolds -= 1;
    this.#openHolds -= 1;
    account.endHold(leases, nanos, chargedNanos);
  }

  #capture(hold: OpenHold, record: ChargeRecord, options: CaptureOptions): Promise<void> {
    let frame: Uint8Array;
    try {
      frame = encodeCharge(record, hold);
    } catch (error) {
      this.#logger.error({ err: error, request_id: record.requestId }, 'a charge cannot be encoded and is lost');
      this.#release(hold);
      return Promise.reject(error);
    }
    if (this.#charges.isStopped)
      this.#logger.error({ request_id: record.requestId }, 'a charge came after the stop and is lost');
    const chargedNanos = minBigInt(record.costNanos, hold.nanos);
    hold.account.session.unsettled += 1;
    this.#endHold(hold, chargedNanos);
    const amounts = { chargedNanos, pendingSinceMs: this.#clock.wallMs() };
    return this.#append(frame, new UnsettledCharge(payloadOf(frame), hold, amounts, this.#settled), options);
  }

  async #append(frame: Uint8Array, charge: UnsettledCharge, options: CaptureOptions): Promise<void> {
    const { settledWithinMs = this.#limits.settleBeforeEndMs } = options;
    const settled = settledWithinMs > 0 ? charge.waitUntilSettled(settledWithinMs) : undefined;
    await this.#charges.append(frame, charge);
    await settled;
  }

  readonly #settled = (charge: UnsettledCharge, disputed: boolean): void => {
    const { account } = charge;
    this.#charges.acknowledge(charge);
    account.session.unsettled -= 1;
    for (const lease of charge.leases) lease.acknowledge(charge.chargedNanos, disputed);
    this.#sessions.closeIfFinished(account.session);
    charge.onAcknowledged?.();
  };

  /** Opens the journal and then the session; tries again later where the journal cannot be opened. */
  async #open(): Promise<void> {
    if (this.#draining) return;
    try {
      if (!(await this.#charges.open(this.#sessions.current.id, () => this.#draining))) return;
    } catch (error) {
      this.#logger.error({ err: error, folder: this.#journalDir }, 'the journal cannot be opened');
      this.#openTimer = setTimeout(() => this.#open(), JOURNAL_RETRY_MS);
      return;
    }
    await this.#sessions.start();
  }

  /** Sessions stay open until everything is settled again: until then their leases in the new database pay for it. */
  #settleAgain(): void {
    const resumeClosing = this.#sessions.deferClosing();
    const settle = async () => {
      await this.#charges.settleAgain();
      resumeClosing();
    };
    settle().catch((error: unknown) => {
      this.#logger.error({ err: error }, 'the journal cannot be settled again: sessions stay open until they expire');
    });
  }

  #sweep(): void {
    this.#sessions.current.sweep();
    this.#sessions.releaseRetired();
    this.#charges.sweep();
  }

  #isSettled(): boolean {
    return this.#openHolds === 0 && this.#charges.isSettled;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#sweepTimer);
    clearTimeout(this.#openTimer);
    this.#sessions.stop();
    await this.#charges.stop();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
