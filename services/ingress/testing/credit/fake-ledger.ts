import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { BALANCE } from '@tollgate/common/cap-periods';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { bindServer } from '@tollgate/common/grpc/server';
import { findFreePort } from '@tollgate/local';
import {
  type AcquireCredit,
  type CeilingState,
  type Charge,
  type Heartbeat,
  type HeldCredit,
  type LeaseRequest,
  type LeaseResponse,
  type LeaseState,
  LedgerServiceClient,
  LedgerServiceService,
  type ReleaseCredit,
  SettleOutcome,
  type SettleRequest,
  type SettleResponse,
} from '@tollgate/proto/ledger';

type LeaseCall = ServerDuplexStream<LeaseRequest, LeaseResponse>;
type SettleCall = ServerDuplexStream<SettleRequest, SettleResponse>;

interface Lease {
  granted: bigint;
  spent: bigint;
  returned: bigint;
}

interface Session {
  leases: Map<string, Lease>;
  fenced: boolean;
  held: Map<string, bigint>;
  call: LeaseCall | undefined;
}

const UNIMPLEMENTED = {
  deposit: unimplemented,
  getBalance: unimplemented,
  getCharge: unimplemented,
  listCharges: unimplemented,
  getUsage: unimplemented,
  listDeposits: unimplemented,
};

function unimplemented(_call: unknown, callback: (error: { code: status; details: string }) => void): void {
  callback({ code: status.UNIMPLEMENTED, details: 'not implemented by the fake ledger' });
}

/** An in-memory ledger behind a real gRPC server, which follows the proto and can be made to misbehave. */
export class FakeLedger {
  /** All that were received. */
  readonly heartbeats: Heartbeat[] = [];
  readonly terms = { sessionTtlMs: 10_000n, heartbeatIntervalMs: 50n, maxRequestMs: 60_000n };
  readonly sessions = new Map<string, Session>();
  readonly closedSessions: string[] = [];
  /** Charges by request id, in the order they were posted. */
  readonly charges = new Map<string, Charge>();
  readonly available = new Map<string, bigint>();
  readonly acquires: { accountId: string; sequence: bigint; neededTotal: bigint; refused: boolean }[] = [];
  readonly batches: number[] = [];
  readonly releases: ReleaseCredit[] = [];
  databaseId = 'database-1';
  /** How far the database's clock is ahead of the real one. */
  clockAheadMs = 0;
  /** Heartbeats are received but not acknowledged. */
  silent = false;
  /** Acquires beyond this number are received but not answered. */
  answeredAcquires = Number.POSITIVE_INFINITY;
  /** Settlements are received but neither committed nor acknowledged while this is set. */
  settlementsHeld = false;
  /** Credit granted beyond each need, where available. */
  extraNanos = 0n;
  /** Request ids whose charge makes the ledger fail on its batch. */
  readonly poison = new Set<string>();
  /** Overrides a charge's outcome. */
  judge: (charge: Charge) => SettleOutcome | undefined = () => undefined;
  #server: Server | undefined;
  #port = 0;
  /** Settle streams that ended with an error: their other batches are lost. */
  readonly #failedCalls = new WeakSet<SettleCall>();
  #waitingBatches: { call: SettleCall; request: SettleRequest }[] = [];

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  client(): LedgerServiceClient {
    return createGrpcClient(LedgerServiceClient, this.address);
  }

  async start(): Promise<void> {
    const server = new Server();
    server.addService(LedgerServiceService, {
      ...UNIMPLEMENTED,
      lease: (call: LeaseCall) => this.#lease(call),
      settle: (call: SettleCall) => this.#settle(call),
    });
    // Not an ephemeral port of the system: it must still be free when the ledger restarts.
    if (this.#port === 0) this.#port = await findFreePort();
    await bindServer(server, this.address, ServerCredentials.createInsecure());
    this.#server = server;
  }

  /** Cuts all streams and stops listening; the state stays. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.#waitingBatches = [];
  }

  deposit(accountId: string, nanos: bigint): void {
    this.available.set(accountId, (this.available.get(accountId) ?? 0n) + nanos);
  }

  /** Available and leased credit together. */
  balance(accountId: string): bigint {
    let balance = this.available.get(accountId) ?? 0n;
    for (const session of this.sessions.values()) {
      const lease = session.leases.get(accountId);
      if (lease !== undefined) balance += lease.granted - lease.spent - lease.returned;
    }
    return balance;
  }

  /** Grants credit to a session that need not be open, for example one of an earlier process. */
  grantTo(sessionId: string, accountId: string, nanos: bigint): void {
    leaseOf(this.#session(sessionId), accountId).granted += nanos;
    this.deposit(accountId, -nanos);
  }

  /** Grants credit to all sessions as if the response to an acquire were lost. */
  grantUnanswered(accountId: string, nanos: bigint): void {
    for (const session of this.sessions.values()) {
      leaseOf(session, accountId).granted += nanos;
      this.deposit(accountId, -nanos);
    }
  }

  /** Drops all charges, as a promoted standby may lack them. */
  forgetCharges(): void {
    for (const charge of this.charges.values()) {
      const payable = charge.costNanos < charge.holdNanos ? charge.costNanos : charge.holdNanos;
      leaseOf(this.#session(charge.sessionId), charge.accountId).spent -= payable;
    }
    this.charges.clear();
  }

  recall(accountId: string): void {
    for (const { call } of this.sessions.values())
      call?.write({ message: { $case: 'recall', value: { accountId, ceiling: BALANCE, suspended: false } } });
  }

  fence(sessionId: string): void {
    const session = this.#session(sessionId);
    session.fenced = true;
    session.call?.write({ message: { $case: 'fenced', value: { sessionId, reason: 'test' } } });
  }

  /** Commits and acknowledges delayed settlements. */
  releaseSettlements(): void {
    this.settlementsHeld = false;
    for (const { call, request } of this.#waitingBatches.splice(0)) this.#commit(call, request);
  }

  #nowMs(): bigint {
    return BigInt(Date.now() + this.clockAheadMs);
  }

  #session(sessionId: string): Session {
    const known = this.sessions.get(sessionId);
    if (known !== undefined) return known;
    const session: Session = { leases: new Map(), fenced: false, held: new Map(), call: undefined };
    this.sessions.set(sessionId, session);
    return session;
  }

  #lease(call: LeaseCall): void {
    let sessionId = '';
    call.on('data', ({ message }: LeaseRequest) => {
      if (message?.$case === 'open') sessionId = message.value.sessionId;
      const response = message === undefined ? undefined : this.#respond(sessionId, message, call);
      if (response !== undefined) call.write({ message: response });
    });
    call.on('end', () => call.end());
  }

  #respond(
    sessionId: string,
    message: NonNullable<LeaseRequest['message']>,
    call: LeaseCall,
  ): LeaseResponse['message'] {
    const session = this.#session(sessionId);
    if (message.$case === 'close') return this.#close(message.value.sessionId);
    if (session.fenced) return { $case: 'fenced', value: { sessionId, reason: 'fenced' } };
    switch (message.$case) {
      case 'open':
        session.call = call;
        return {
          $case: 'opened',
          value: {
            sessionId,
            epoch: 1n,
            ...this.terms,
            databaseId: this.databaseId,
            databaseTimeMs: this.#nowMs(),
            leases: [...session.leases.keys()].map((accountId) => this.#state(session, accountId, 0n, false)),
          },
        };
      case 'heartbeat':
        this.heartbeats.push(message.value);
        for (const held of message.value.held) this.#report(session, held);
        if (this.silent) return undefined;
        return {
          $case: 'heartbeat',
          value: { sequence: message.value.sequence, databaseId: this.databaseId, databaseTimeMs: this.#nowMs() },
        };
      case 'acquire':
        if (this.acquires.length >= this.answeredAcquires) return undefined;
        return {
          $case: 'lease',
          value: this.#acquire(session, message.value),
        };
      case 'return':
        return { $case: 'lease', value: this.#return(session, message.value.accountId, message.value.returnedTotal) };
      case 'release':
        return this.#release(message.value);
      default:
        return message satisfies never;
    }
  }

  #report(session: Session, { accountId, heldNanos }: HeldCredit): void {
    session.held.set(accountId, heldNanos);
  }

  #acquire(session: Session, { accountId, sequence, needs }: AcquireCredit): LeaseState {
    const [{ grantedTotalNeeded: neededTotal = 0n } = {}, ...others] = needs;
    if (others.length > 0) throw new Error('the fake ledger has no limits below the balance');
    const lease = leaseOf(session, accountId);
    const available = this.available.get(accountId) ?? 0n;
    const shortfall = neededTotal - lease.granted;
    const refused = shortfall > available;
    this.acquires.push({ accountId, sequence, neededTotal, refused });
    if (shortfall > 0n && !refused) {
      const grant = shortfall + this.extraNanos <= available ? shortfall + this.extraNanos : shortfall;
      lease.granted += grant;
      this.available.set(accountId, available - grant);
    }
    return this.#state(session, accountId, sequence, refused);
  }

  #return(session: Session, accountId: string, returnedTotal: bigint): LeaseState {
    const lease = leaseOf(session, accountId);
    const more = returnedTotal - lease.returned;
    if (more > 0n && more <= lease.granted - lease.spent - lease.returned) {
      lease.returned += more;
      this.deposit(accountId, more);
    }
    return this.#state(session, accountId, 0n, false);
  }

  #release(release: ReleaseCredit): LeaseResponse['message'] {
    if (release.databaseId !== this.databaseId) return undefined;
    this.releases.push(release);
    const { sessionId, accountId, keepNanos } = release;
    const lease = leaseOf(this.#session(sessionId), accountId);
    const amount = lease.granted - lease.spent - lease.returned - keepNanos;
    if (amount > 0n) {
      lease.returned += amount;
      this.deposit(accountId, amount);
    }
    return { $case: 'released', value: { sessionId, accountId, keepNanos, ceiling: BALANCE } };
  }

  #close(sessionId: string): LeaseResponse['message'] {
    const session = this.#session(sessionId);
    session.fenced = true;
    this.closedSessions.push(sessionId);
    for (const [accountId, lease] of session.leases) {
      this.deposit(accountId, lease.granted - lease.spent - lease.returned);
      lease.returned = lease.granted - lease.spent;
    }
    return { $case: 'closed', value: { sessionId } };
  }

  #state(session: Session, accountId: string, sequence: bigint, refused: boolean): LeaseState {
    const lease = leaseOf(session, accountId);
    const balance: CeilingState = {
      ceiling: BALANCE,
      grantedTotal: lease.granted,
      spentTotal: lease.spent,
      returnedTotal: lease.returned,
      short: refused,
      leftNanos: this.balance(accountId),
      availableNanos: this.available.get(accountId) ?? 0n,
      limitNanos: 0n,
      revision: 0n,
    };
    return { accountId, sequence, refused, suspended: false, ceilings: [balance] };
  }

  #settle(call: SettleCall): void {
    call.on('data', (request: SettleRequest) => {
      this.batches.push(request.charges.length);
      if (this.settlementsHeld) this.#waitingBatches.push({ call, request });
      else this.#commit(call, request);
    });
    call.on('end', () => call.end());
  }

  #commit(call: SettleCall, request: SettleRequest): void {
    if (this.#failedCalls.has(call)) return;
    if (request.charges.some(({ requestId }) => this.poison.has(requestId))) {
      this.#failedCalls.add(call);
      call.emit('error', { code: status.INTERNAL, details: 'internal error' });
      return;
    }
    const outcomes = request.charges.map((charge) => this.#post(charge));
    call.write({ sequence: request.sequence, outcomes });
  }

  #post(charge: Charge): SettleOutcome {
    const judged = this.judge(charge);
    if (judged !== undefined) return judged;
    if (this.charges.has(charge.requestId)) return SettleOutcome.DUPLICATE;
    this.charges.set(charge.requestId, charge);
    const lease = leaseOf(this.#session(charge.sessionId), charge.accountId);
    const payable = charge.costNanos < charge.holdNanos ? charge.costNanos : charge.holdNanos;
    const remaining = lease.granted - lease.spent - lease.returned;
    lease.spent += payable <= remaining ? payable : remaining;
    return payable <= remaining ? SettleOutcome.POSTED : SettleOutcome.LOSS;
  }
}

function leaseOf(session: Session, accountId: string): Lease {
  const known = session.leases.get(accountId);
  if (known !== undefined) return known;
  const lease = { granted: 0n, spent: 0n, returned: 0n };
  session.leases.set(accountId, lease);
  return lease;
}
