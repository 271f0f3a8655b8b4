import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import type {
  HeartbeatAck,
  LeaseResponse,
  LedgerServiceClient,
  RecallCap,
  RecallCredit,
  SessionOpened,
} from '@tollgate/proto/ledger';
import type { Clock } from '../journal/clock.ts';
import type { AccountContext, SessionOfAccount } from './account-credit.ts';
import type { CapContext, CapCredit } from './caps/cap-credit.ts';
import { ClockCheck } from './clock-check.ts';
import type { AccountLease } from './lease.ts';
import { LeaseStream } from './lease-stream.ts';
import { RetiredCredit } from './retired-credit.ts';
import { CreditSession } from './session.ts';
import type { UnavailableReason } from './types.ts';

export interface SessionKeeperOptions {
  client: LedgerServiceClient;
  ingressName: string;
  logger: Logger;
  clock: Clock;
  /** What accounts of new sessions are given. */
  context: AccountContext;
  /** What caps that move to a new session are given. */
  capContext: CapContext;
  /** A session begins: its name is to be written down before it is opened. */
  begun: (sessionId: string) => Promise<void>;
  /** The database behind the ledger is another one than before. */
  databaseChanged: () => void;
}

/** Releases sent in one go; the others follow in later ones. */
const RELEASES_AT_ONCE = 500;

/** Least silence after which a stream whose heartbeats are not answered is given up. */
const SILENCE_MS = 5_000;

/** Keeps one session open with the ledger: heartbeats, answers, and a new session where the ledger fences the old one. */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions;
  readonly #stream: LeaseStream;
  readonly #clockCheck: ClockCheck;
  readonly #retired = new Map<SessionOfAccount, RetiredCredit>();
  /** Sessions to be closed, until the ledger has confirmed it. */
  readonly #toClose = new Set<string>();
  /** Those who need all sessions kept open. */
  #closingsHeld = 0;
  readonly #firstAttempt = Promise.withResolvers<void>();
  #current: CreditSession;
  #askedAt: ReturnType<CreditSession['heartbeats']['now']>;
  #databaseId = '';
  #heartbeat: NodeJS.Timeout | undefined;
  #sequence = 0n;
  #downSinceMs: number | undefined;
  #allClosed: (() => void) | undefined;

  constructor(options: SessionKeeperOptions) {
    this.#options = options;
    this.#current = new CreditSession(newId(), options.clock);
    this.#askedAt = this.#current.heartbeats.now();
    this.#clockCheck = new ClockCheck(options.clock, options.logger);
    this.#stream = new LeaseStream({
      client: options.client,
      ingressName: options.ingressName,
      logger: options.logger,
      received: (message) => this.#received(message),
      asked: () => {
        this.#askedAt = this.#current.heartbeats.now();
      },
      lost: () => this.#lost(),
    });
  }

  get current(): CreditSession {
    return this.#current;
  }

  get streamUp(): boolean {
    return this.#stream.up;
  }

  /** Whether this process's clock agrees with the database's. */
  get clock(): Pick<ClockCheck, 'aheadMs' | 'differs' | 'problem'> {
    return this.#clockCheck;
  }

  get lastSequence(): bigint {
    return this.#sequence;
  }

  /** How long there has been no stream with an open session. */
  get downMs(): number {
    return this.#downSinceMs === undefined ? 0 : this.#options.clock.monotonicMs() - this.#downSinceMs;
  }

  /** Whether the current session is new and still to be opened for the first time. */
  get opening(): boolean {
    return !this.#current.heartbeats.begun;
  }

  /** Opens the session. Resolves when it is open or the first attempt has failed; attempts go on. */
  start(): Promise<void> {
    this.#downSinceMs = this.#options.clock.monotonicMs();
    this.#stream.open(this.#current.id);
    return this.#firstAttempt.promise;
  }

  /** Why no hold can be made under the session; undefined when one can. */
  refusal(): UnavailableReason | undefined {
    if (this.#clockCheck.differs) return 'clock';
    if (this.#current.heartbeats.alive()) return undefined;
    return this.#stream.up ? 'session' : 'ledger';
  }

  /** Sends an acquire under the next sequence; false when there is no stream. */
  acquire(lease: AccountLease, lackNanos: bigint, ahead: boolean): boolean {
    if (!this.#stream.up) return false;
    this.#sequence += 1n;
    const value = lease.beginAcquire(this.#sequence, lackNanos, this.#options.clock.monotonicMs(), ahead);
    return this.#stream.send({ $case: 'acquire', value });
  }

  /** As acquire, of a cap. */
  acquireCap(cap: CapCredit, lackNanos: bigint, ahead: boolean): boolean {
    if (!this.#stream.up) return false;
    this.#sequence += 1n;
    return this.#stream.send({ $case: 'acquireCap', value: cap.beginAcquire(this.#sequence, lackNanos, ahead) });
  }

  /** Sends what was returned of a cap; false while there is no stream, and of a retired session, which releases instead. */
  sendReturnCap(cap: CapCredit): boolean {
    if (cap.session !== this.#current) return false;
    return this.#stream.send({ $case: 'returnCap', value: cap.returned() });
  }

  sendReturn(lease: AccountLease): boolean {
    const value = { accountId: lease.accountId, returnedTotal: lease.returnedTotal };
    return this.#stream.send({ $case: 'return', value });
  }

  /** Closes a session under which nothing more will be held or settled, now or once there is a stream. */
  close(sessionId: string): void {
    this.#toClose.add(sessionId);
    if (this.#closingsHeld === 0) this.#sendClose(sessionId);
  }

  /** Closes no session until what this returns is called. */
  holdClosings(): () => void {
    this.#closingsHeld += 1;
    return () => {
      this.#closingsHeld -= 1;
      this.#sendClosings();
      this.releaseRetired();
    };
  }

  /**
   * Releases what retired sessions no longer need. To be called now and then. Nothing is released while charges are being
   * settled again: the sessions they are of must cover them.
   */
  releaseRetired(): void {
    if (this.#closingsHeld > 0) return;
    let room = RELEASES_AT_ONCE;
    for (const credit of this.#retired.values()) {
      if (room === 0 || !this.#stream.up) return;
      const due = credit.due(this.#databaseId, this.#options.clock.monotonicMs(), room);
      for (const value of due) this.#stream.send({ $case: 'release', value });
      room -= due.length;
    }
  }

  /** Closes a retired session once it is finished. To be called when a hold or a charge of it ends. */
  closeIfFinished(session: SessionOfAccount): void {
    if (session.finished && this.#retired.delete(session)) this.close(session.id);
  }

  /** Closes the current session. Resolves when the ledger has confirmed all closings. */
  closeCurrent(): Promise<void> {
    clearTimeout(this.#heartbeat);
    this.close(this.#current.id);
    return new Promise((resolve) => {
      this.#allClosed = resolve;
    });
  }

  stop(): void {
    clearTimeout(this.#heartbeat);
    this.#stream.stop();
  }

  #received(message: NonNullable<LeaseResponse['message']>): void {
    const session = this.#current;
    switch (message.$case) {
      case 'opened':
        this.#opened(message.value);
        break;
      case 'heartbeat':
        this.#confirmed(message.value);
        break;
      case 'lease':
        session.account(message.value.accountId, this.#options.context).applyState(message.value);
        break;
      case 'recall':
        this.#recalled(message.value);
        break;
      case 'cap':
        session.caps.applyState(message.value, this.#options.capContext);
        break;
      case 'recallCap':
        this.#recalledCap(message.value);
        break;
      case 'fenced':
        if (message.value.sessionId === session.id) this.#renew(message.value.reason);
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

  /** Always answered, so that the ledger does not wait for an ingress that has nothing to give. */
  #recalled({ accountId, suspended }: RecallCredit): void {
    const account = this.#current.accounts.get(accountId);
    if (account !== undefined) account.recalled(suspended);
    else this.#stream.send({ $case: 'return', value: { accountId, returnedTotal: 0n } });
  }

  #recalledCap({ cap }: RecallCap): void {
    if (this.#current.caps.recalled(cap)) return;
    this.#stream.send({ $case: 'returnCap', value: { cap, returnedTotal: 0n } });
  }

  #opened(opened: SessionOpened): void {
    const session = this.#current;
    if (opened.sessionId !== session.id) return;
    this.#downSinceMs = undefined;
    session.heartbeats.opened(opened, this.#askedAt);
    this.#clockCheck.compare(this.#askedAt, opened.databaseTimeMs);
    this.#checkDatabase(opened.databaseId);
    if (this.#current !== session) return;
    if (!this.#reconcile(opened)) {
      this.#renew('the ledger no longer knows credit it had granted');
      return;
    }
    this.#sendClosings();
    this.releaseRetired();
    this.#beat();
    session.reopened();
    this.#firstAttempt.resolve();
  }

  #confirmed(ack: HeartbeatAck): void {
    const session = this.#current;
    const refused = this.refusal() !== undefined;
    this.#stream.settled();
    const sentAt = session.confirmHeartbeat(ack.sequence);
    if (sentAt !== undefined) this.#clockCheck.compare(sentAt, ack.databaseTimeMs);
    this.#checkDatabase(ack.databaseId);
    if (refused) session.reopened();
  }

  /** Brings the leases in step with the ledger's; false when it lacks something it had granted. */
  #reconcile(opened: SessionOpened): boolean {
    this.#current.abandonAcquires();
    return opened.leases.every((state) =>
      this.#current.account(state.accountId, this.#options.context).lease.reconcile(state),
    );
  }

  #beat(): void {
    clearTimeout(this.#heartbeat);
    const session = this.#current;
    const { heartbeats } = session;
    if (heartbeats.silentMs() > Math.max(SILENCE_MS, heartbeats.intervalMs * 3)) {
      this.#stream.restart('heartbeats are not answered');
      return;
    }
    if (this.#stream.up) {
      const held = session.changedHeld();
      this.#stream.send({ $case: 'heartbeat', value: { sequence: heartbeats.sent(held), held } });
    }
    this.#heartbeat = setTimeout(() => this.#beat(), heartbeats.intervalMs);
  }

  #lost(): void {
    clearTimeout(this.#heartbeat);
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
    this.#current.heartbeats.streamLost();
    this.#firstAttempt.resolve();
  }

  #checkDatabase(databaseId: string): void {
    const before = this.#databaseId;
    if (databaseId === before || databaseId === '') return;
    this.#databaseId = databaseId;
    if (before === '') return;
    for (const credit of this.#retired.values()) credit.forget();
    this.#options.logger.warn({ before, after: databaseId }, 'another database is behind the ledger');
    this.#options.databaseChanged();
    // What the other database knows of the session's leases may be older than what was granted.
    this.#renew('the database behind the ledger has changed');
  }

  /** Puts a new session in the place of the current one, whose open holds end under it. */
  #renew(reason: string): void {
    const old = this.#current;
    const next = new CreditSession(newId(), this.#options.clock);
    this.#options.logger.warn({ session_id: old.id, next_session_id: next.id, reason }, 'a new credit session begins');
    clearTimeout(this.#heartbeat);
    old.retired = true;
    this.#retired.set(old, new RetiredCredit(old));
    this.#current = next;
    this.#downSinceMs ??= this.#options.clock.monotonicMs();
    for (const [accountId, account] of old.accounts) {
      if (account.waiting > 0) account.moveWaitersTo(next.account(accountId, this.#options.context));
    }
    old.caps.moveWaitersTo(next.caps, this.#options.capContext);
    this.closeIfFinished(old);
    this.#options
      .begun(next.id)
      .catch((error: unknown) => this.#options.logger.error({ err: error }, 'the session cannot be written down'))
      .finally(() => {
        if (this.#current === next) this.#stream.open(next.id);
      });
  }

  #sendClosings(): void {
    if (this.#closingsHeld > 0) return;
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
