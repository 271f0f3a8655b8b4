import { BALANCE } from '@tollgate/common/cap-periods';
import type { Clock } from '@tollgate/common/clock';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import type {
  AcquireCredit,
  HeartbeatAck,
  LeaseResponse,
  LedgerServiceClient,
  RecallCredit,
  SessionOpened,
} from '@tollgate/proto/ledger';
import type { AccountContext, AccountCredit, SessionRef } from './account-credit.ts';
import type { SettlementLag } from './charge-pipeline.ts';
import { ClockCheck } from './clock-check.ts';
import type { Lease } from './lease.ts';
import { LeaseStream } from './lease-stream.ts';
import { RetiredCredit } from './retired-credit.ts';
import { CreditSession } from './session.ts';
import type { UnavailableReason } from './types.ts';

export interface SessionManagerOptions {
  client: LedgerServiceClient;
  ingressName: string;
  logger: Logger;
  clock: Clock;
  /** Passed to the accounts of new sessions. */
  context: AccountContext;
  /** Records a new session's id durably before it is opened. */
  recordSession: (sessionId: string) => Promise<void>;
  /** How far the settlement is behind, for heartbeats. */
  settlement: () => SettlementLag;
  /** The ledger has another database than before. */
  databaseChanged: () => void;
}

/** Releases sent at once; the rest follow with later passes. */
const MAX_RELEASES_PER_PASS = 500;

/** A stream whose heartbeats are unanswered for at least this long is replaced. */
const MIN_SILENCE_MS = 5_000;

/** Keeps one credit session open with the ledger: sends heartbeats, and replaces a session that the ledger fences. */
export class SessionManager {
  readonly #options: SessionManagerOptions;
  readonly #stream: LeaseStream;
  readonly #clockCheck: ClockCheck;
  readonly #retired = new Map<SessionRef, RetiredCredit>();
  /** Sessions to close, until the ledger has confirmed it. */
  readonly #toClose = new Set<string>();
  /** Callers that currently defer the closing of sessions. */
  #closingDeferrals = 0;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #current: CreditSession;
  #openSentAt: ReturnType<CreditSession['heartbeats']['now']>;
  #databaseId = '';
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #sequence = 0n;
  #downSinceMs: number | undefined;
  #allClosed: (() => void) | undefined;

  constructor(options: SessionManagerOptions) {
    this.#options = options;
    this.#current = new CreditSession(newId(), options.clock);
    this.#openSentAt = this.#current.heartbeats.now();
    this.#clockCheck = new ClockCheck(options.clock, options.logger);
    this.#stream = new LeaseStream({
      client: options.client,
      ingressName: options.ingressName,
      logger: options.logger,
      received: (message) => this.#received(message),
      openSent: () => {
        this.#openSentAt = this.#current.heartbeats.now();
      },
      lost: () => this.#streamLost(),
    });
  }

  get current(): CreditSession {
    return this.#current;
  }

  get streamUp(): boolean {
    return this.#stream.up;
  }

  /** The comparison of this process's clock with the database's. */
  get clock(): Pick<ClockCheck, 'aheadMs' | 'differs' | 'problem'> {
    return this.#clockCheck;
  }

  get lastSequence(): bigint {
    return this.#sequence;
  }

  /** How long no stream has had an open session. */
  get downMs(): number {
    return this.#downSinceMs === undefined ? 0 : this.#options.clock.monotonicMs() - this.#downSinceMs;
  }

  /** Whether the current session has never been opened yet. */
  get opening(): boolean {
    return !this.#current.heartbeats.everOpened;
  }

  /** Opens the session. Resolves when it is open or the first attempt has failed; attempts go on. */
  start(): Promise<void> {
    this.#downSinceMs = this.#options.clock.monotonicMs();
    this.#stream.open(this.#current.id);
    return this.#firstAttempt.promise;
  }

  /** Why no hold can be made under the session; undefined when one can. */
  unavailableReason(): UnavailableReason | undefined {
    if (this.#clockCheck.differs) return 'clock';
    if (this.#current.heartbeats.alive()) return undefined;
    return this.#stream.up ? 'session' : 'ledger';
  }

  /** Sends an acquire with the next sequence number; undefined while there is no stream. */
  acquire(create: (sequence: bigint) => AcquireCredit): bigint | undefined {
    if (!this.#stream.up) return undefined;
    this.#sequence += 1n;
    return this.#stream.send({ $case: 'acquire', value: create(this.#sequence) }) ? this.#sequence : undefined;
  }

  /** Sends a lease's returned total; false while there is no stream, and for a retired session, which releases instead. */
  sendReturn({ accountId, session }: AccountCredit, { name: ceiling, returnedTotal }: Lease): boolean {
    if (session !== this.#current) return false;
    return this.#stream.send({ $case: 'return', value: { accountId, ceiling, returnedTotal } });
  }

  /** Closes a session that has no more holds or charges, now or once there is a stream. */
  close(sessionId: string): void {
    this.#toClose.add(sessionId);
    if (this.#closingDeferrals === 0) this.#sendClose(sessionId);
  }

  /** Defers the closing of all sessions until the returned function is called. */
  deferClosing(): () => void {
    this.#closingDeferrals += 1;
    return () => {
      this.#closingDeferrals -= 1;
      this.#sendPendingCloses();
      this.releaseRetired();
    };
  }

  /**
   * Releases credit that retired sessions no longer need. Call it periodically. Nothing is released while charges are
   * being settled again: they need the credit of their sessions.
   */
  releaseRetired(): void {
    if (this.#closingDeferrals > 0) return;
    let room = MAX_RELEASES_PER_PASS;
    for (const credit of this.#retired.values()) {
      if (room === 0 || !this.#stream.up) return;
      const due = credit.due(this.#databaseId, this.#options.clock.monotonicMs(), room);
      for (const value of due) this.#stream.send({ $case: 'release', value });
      room -= due.length;
    }
  }

  /** Closes a retired session once it is finished. Call it when one of its holds or charges ends. */
  closeIfFinished(session: SessionRef): void {
    if (session.finished && this.#retired.delete(session)) this.close(session.id);
  }

  /** Closes the current session. Resolves when the ledger has confirmed that all sessions are closed. */
  closeCurrent(): Promise<void> {
    clearTimeout(this.#heartbeatTimer);
    this.close(this.#current.id);
    return new Promise((resolve) => {
      this.#allClosed = resolve;
    });
  }

  stop(): void {
    clearTimeout(this.#heartbeatTimer);
    this.#stream.stop();
  }

  #received(message: NonNullable<LeaseResponse['message']>): void {
    const session = this.#current;
    switch (message.$case) {
      case 'opened':
        this.#opened(message.value);
        break;
      case 'heartbeat':
        this.#heartbeatAcknowledged(message.value);
        break;
      case 'lease':
        session.account(message.value.accountId, this.#options.context).applyState(message.value);
        break;
      case 'recall':
        this.#recalled(message.value);
        break;
      case 'fenced':
        if (message.value.sessionId === session.id) this.#replaceSession(message.value.reason);
        break;
      case 'closed':
        this.#closed(message.value.sessionId);
        break;
      case 'released':
        for (const [{ id }, credit] of this.#retired) {
          if (id === message.value.sessionId) credit.confirmed(message.value);
        }
        break;
      default:
        message satisfies never;
    }
  }

  /** Always responds, so that the ledger does not wait for an ingress that has nothing to return. */
  #recalled({ accountId, ceiling = BALANCE, suspended }: RecallCredit): void {
    if (this.#current.accounts.get(accountId)?.recalled(ceiling, suspended) === true) return;
    this.#stream.send({ $case: 'return', value: { accountId, ceiling, returnedTotal: 0n } });
  }

  #opened(opened: SessionOpened): void {
    const session = this.#current;
    if (opened.sessionId !== session.id) return;
    this.#downSinceMs = undefined;
    session.heartbeats.opened(opened, this.#openSentAt);
    this.#clockCheck.compare(this.#openSentAt, opened.databaseTimeMs);
    this.#checkDatabase(opened.databaseId);
    if (this.#current !== session) return;
    if (!this.#reconcile(opened)) {
      this.#replaceSession('the ledger no longer knows credit it had granted');
      return;
    }
    this.#sendPendingCloses();
    this.releaseRetired();
    this.#sendHeartbeat();
    session.reopened();
    this.#firstAttempt.resolve();
  }

  #heartbeatAcknowledged(ack: HeartbeatAck): void {
    const session = this.#current;
    const refused = this.unavailableReason() !== undefined;
    this.#stream.resetBackoff();
    const sentAt = session.confirmHeartbeat(ack.sequence);
    if (sentAt !== undefined) this.#clockCheck.compare(sentAt, ack.databaseTimeMs);
    this.#checkDatabase(ack.databaseId);
    if (refused) session.reopened();
  }

  /** Reconciles the leases with the ledger's; false when the ledger no longer knows a grant. */
  #reconcile(opened: SessionOpened): boolean {
    this.#current.abandonAcquires();
    return opened.leases.every(({ accountId, ceilings: [balance] }) => {
      if (balance === undefined) return true;
      return this.#current.account(accountId, this.#options.context).balance.reconcile(balance);
    });
  }

  #sendHeartbeat(): void {
    clearTimeout(this.#heartbeatTimer);
    const session = this.#current;
    const { heartbeats } = session;
    if (heartbeats.silentMs() > Math.max(MIN_SILENCE_MS, heartbeats.intervalMs * 3)) {
      this.#stream.restart('heartbeats are unanswered');
      return;
    }
    if (this.#stream.up) {
      const held = session.changedHeld();
      const { unsettled, oldestMs } = this.#options.settlement();
      const lag = { unsettledCharges: BigInt(unsettled), oldestUnsettledMs: BigInt(Math.floor(oldestMs)) };
      this.#stream.send({ $case: 'heartbeat', value: { sequence: heartbeats.sent(held), held, ...lag } });
    }
    this.#heartbeatTimer = setTimeout(() => this.#sendHeartbeat(), heartbeats.intervalMs);
  }

  #streamLost(): void {
    clearTimeout(this.#heartbeatTimer);
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
    this.#current.heartbeats.streamLost();
    this.#firstAttempt.resolve();
  }

  #checkDatabase(databaseId: string): void {
    const before = this.#databaseId;
    if (databaseId === before || databaseId === '') return;
    this.#databaseId = databaseId;
    if (before === '') return;
    for (const credit of this.#retired.values()) credit.reset();
    this.#options.logger.warn({ before, after: databaseId }, 'the ledger has another database');
    this.#options.databaseChanged();
    // The other database may have older leases of the session than were granted.
    this.#replaceSession("the ledger's database has changed");
  }

  /** Replaces the current session; its open holds still end under it. */
  #replaceSession(reason: string): void {
    const old = this.#current;
    const next = new CreditSession(newId(), this.#options.clock);
    this.#options.logger.warn(
      { session_id: old.id, next_session_id: next.id, reason },
      'a new credit session replaces the old one',
    );
    clearTimeout(this.#heartbeatTimer);
    old.retired = true;
    this.#retired.set(old, new RetiredCredit(old));
    this.#current = next;
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
    for (const [accountId, account] of old.accounts) {
      if (account.waiting > 0) account.moveWaitersTo(next.account(accountId, this.#options.context));
    }
    this.closeIfFinished(old);
    this.#options
      .recordSession(next.id)
      .catch((error: unknown) =>
        this.#options.logger.error({ err: error }, 'the session cannot be recorded in the journal'),
      )
      .finally(() => {
        if (this.#current === next) this.#stream.open(next.id);
      });
  }

  #sendPendingCloses(): void {
    if (this.#closingDeferrals > 0) return;
    for (const sessionId of this.#toClose) this.#sendClose(sessionId);
  }

  #sendClose(sessionId: string): void {
    this.#stream.send({ $case: 'close', value: { sessionId } });
  }

  #closed(sessionId: string): void {
    this.#toClose.delete(sessionId);
    if (this.#toClose.size === 0) this.#allClosed?.();
  }
}
