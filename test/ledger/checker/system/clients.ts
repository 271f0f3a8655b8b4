import { idFloor, newId } from '@tollgate/common/ids';
import type { HoldResult } from '@tollgate/ingress/wallet/credit/types';
import { MAX_CLOCK_SKEW_MS } from '@tollgate/ledger/store/time';
import { type Charge, ChargeStatus } from '@tollgate/proto/ledger';
import { count, Violation } from '../support/violation.ts';
import type { Caps, SystemInvariants } from './invariants.ts';
import { payable, type Request } from './requests.ts';
import type { World } from './world.ts';

/** Maximum difference of an ingress's clock for it to make holds. */
const MAX_AHEAD_MS = 60_000;

/** Tags that make a record ten times as long. */
const LONG_TAGS = { a: 'x'.repeat(1_000), b: 'y'.repeat(1_000), c: 'z'.repeat(1_000) };

/** An account, with a key without spending caps and one that has some. */
interface Account {
  id: string;
  plainKey: string;
  cappedKey: string;
  /** What was paid in, less what was taken back. */
  paidIn: bigint;
}

/** The hold a request needs: at most and at least this many nano-dollars. */
export interface HoldDemand {
  max: bigint;
  min: bigint;
  capped: boolean;
}

/** The clients: their accounts, and the requests they have sent. */
export class Clients {
  readonly requests = new Map<string, Request>();
  readonly #world: World;
  readonly #invariants: SystemInvariants;
  /** The caps of capped keys, and the revision of the keys that has them. */
  #caps: Caps;
  #revision = 1n;
  readonly #longRecords: boolean;
  readonly #accounts: Account[] = [];
  /** The database was replaced by one that may lack commits: a balance it reports may be too low. */
  failedOver = false;

  constructor(world: World, invariants: SystemInvariants, caps: Caps, longRecords: boolean) {
    this.#longRecords = longRecords;
    this.#world = world;
    this.#invariants = invariants;
    this.#caps = caps;
  }

  get caps(): Caps {
    return this.#caps;
  }

  /** Changes the caps of all capped keys from the next request on. */
  changeCaps(caps: Caps): void {
    this.#caps = caps;
    this.#revision += 1n;
    this.#invariants.recordCaps(caps);
  }

  addAccount(): void {
    this.#accounts.push({ id: newId(), plainKey: newId(), cappedKey: newId(), paidIn: 0n });
  }

  account(index: number): Account {
    const found = this.#accounts[index];
    if (found === undefined) throw new Error(`there is no account ${index}`);
    return found;
  }

  get paidIn(): Map<string, bigint> {
    return new Map(this.#accounts.map(({ id, paidIn }) => [id, paidIn]));
  }

  /** Records a payment. */
  paid(account: Account, amount: bigint): void {
    account.paidIn += amount;
    this.#noteBalance(account);
  }

  /** Sends a request. @returns undefined if the ingress is not running */
  ask(index: number, accountIndex: number, { max, min, capped }: HoldDemand): Request | undefined {
    const ingress = this.#world.ingress(index);
    if (!ingress.awake) return undefined;
    const account = this.account(accountIndex);
    const startedAtMs = ingress.nowMs;
    const keyId = capped ? account.cappedKey : account.plainKey;
    const request: Request = {
      id: idAt(startedAtMs),
      client: new AbortController(),
      revision: this.#revision,
      account: account.id,
      keyId,
      capped,
      startedAtMs,
      max,
      min,
      ingress: index,
      state: 'waiting',
      hold: undefined,
      response: undefined,
      cost: 0n,
      lowestBalance: this.#wholeBalance(account),
    };
    this.requests.set(request.id, request);
    const { signal } = request.client;
    const underCaps = capped
      ? { capped: { nodes: [{ nodeId: keyId, caps: this.#caps, grants: [], revision: this.#revision }], startedAtMs } }
      : {};
    const requested = { accountId: account.id, maxNanos: max, minNanos: min, signal, ...underCaps };
    const result = ingress.use((wallet) => wallet.hold(requested));
    if (result instanceof Promise) {
      result
        .then((response) => this.#checkResult(request, response))
        .catch((error: unknown) => this.#world.fail('a hold', error));
    } else if (result !== undefined) this.#checkResult(request, result);
    return request;
  }

  /** @throws Violation if the response breaks an invariant */
  #checkResult(request: Request, result: HoldResult): void {
    count(
      this.#world.counts,
      `hold ${result.kind}${result.kind === 'insufficient' ? ` ${result.limit.window ?? 'balance'}` : ''}`,
    );
    // The request may have been interrupted meanwhile.
    if (request.state === 'gone') {
      if (result.kind !== 'held' || !request.client.signal.aborted) return;
      throw new Violation('a request got a hold after its client had left');
    }
    request.response = result.kind;
    if (result.kind !== 'held') {
      request.state = 'gone';
      if (result.kind !== 'insufficient' || result.limit.window !== null) return;
      if (this.failedOver || request.lowestBalance < request.min) return;
      const reported = `got a balance of ${result.limit.leftNanos}`;
      throw new Violation(
        `${reported}, but it was never below ${request.lowestBalance}, and ${request.min} was needed`,
      );
    }
    const { nanos, sessionId } = result.hold;
    request.state = 'open';
    request.hold = result.hold;
    this.#invariants.checkHold(sessionId, this.#world.nowMs);
    if (this.#world.ingress(request.ingress).aheadMs > MAX_AHEAD_MS) {
      throw new Violation('a hold was made by an ingress whose clock is more than a minute ahead');
    }
    if (request.revision === this.#revision) this.#invariants.checkCapped(request, this.requests, this.#caps);
    if (nanos < request.min || nanos > request.max) {
      throw new Violation(`held ${nanos}, which is not from ${request.min} to ${request.max}`);
    }
  }

  /** What was paid in, less all that was delivered. */
  #wholeBalance({ id, paidIn }: Account): bigint {
    let balance = paidIn;
    for (const request of this.requests.values()) {
      const delivered = request.state === 'ending' || request.state === 'ended' || request.state === 'uncertain';
      if (request.account === id && delivered) balance -= payable(request);
    }
    return balance;
  }

  /** Updates the lowest balance of waiting requests. */
  #noteBalance(account: Account): void {
    const balance = this.#wholeBalance(account);
    for (const request of this.requests.values()) {
      if (request.account !== account.id || request.state !== 'waiting') continue;
      if (balance < request.lowestBalance) request.lowestBalance = balance;
    }
  }

  /** The requests that are open at an ingress, or at any that is running. */
  open(index?: number): Request[] {
    return [...this.requests.values()].filter(
      ({ state, ingress }) =>
        state === 'open' && this.#world.ingress(ingress).awake && (index === undefined || ingress === index),
    );
  }

  /** The client of a request that waits for credit leaves. */
  leave(request: Request): void {
    const ingress = this.#world.ingress(request.ingress);
    if (!ingress.awake) return;
    count(this.#world.counts, 'client left');
    request.state = 'gone';
    ingress.use(() => request.client.abort());
  }

  /**
   * Sets an ingress's clock. Requests that wait for credit, and started while the clock was so far ahead that the ledger
   * accepts no charge of that time, lose their clients: once the clock is right again, the ingress would make their holds.
   */
  setClock(index: number, aheadMs: number): void {
    const ingress = this.#world.ingress(index);
    const latestMs = this.#world.nowMs + MAX_CLOCK_SKEW_MS;
    for (const request of this.requests.values()) {
      const isTooLate = request.startedAtMs > latestMs;
      if (isTooLate && request.ingress === index && request.state === 'waiting') this.leave(request);
    }
    ingress.aheadMs = aheadMs;
  }

  /** A request fails before any output: it costs nothing. */
  release(request: Request): void {
    const { hold } = request;
    request.state = 'gone';
    this.#world.ingress(request.ingress).use(() => hold?.release());
  }

  /** Ends a request at a cost in percent of its hold, and charges it. */
  end(request: Request, costPercent: bigint): void {
    const { hold } = request;
    if (hold === undefined) return;
    request.state = 'ending';
    request.cost = (hold.nanos * costPercent) / 100n;
    for (const account of this.#accounts) this.#noteBalance(account);
    const ended = () => {
      if (request.state === 'ending') request.state = 'ended';
    };
    const charged = this.#world.ingress(request.ingress).use(() => hold.capture(recordOf(request, this.#longRecords)));
    charged?.then(ended, (error: unknown) => this.#world.fail('a charge', error));
  }

  /** The process that served these requests has ended. */
  cutOff(index: number): void {
    for (const request of this.requests.values()) {
      if (request.ingress !== index) continue;
      if (request.state === 'waiting' || request.state === 'open') request.state = 'gone';
      else if (request.state === 'ending') request.state = 'uncertain';
    }
  }

  /** The record of a request was damaged. */
  torn(requestId: string): void {
    const request = this.requests.get(requestId);
    if (request !== undefined) request.state = 'uncertain';
  }
}

/** A UUIDv7 of a time. */
function idAt(unixMs: number): string {
  return `${idFloor(unixMs).slice(0, 13)}${newId().slice(13)}`;
}

function recordOf(
  { id, account, keyId, capped, cost, startedAtMs }: Request,
  isLong: boolean,
): Omit<Charge, 'sessionId' | 'holdNanos' | 'chargedNanos' | 'settledAtMs' | 'caps'> {
  return {
    requestId: id,
    accountId: account,
    keyId,
    keyName: 'a key',
    traceId: '0123456789abcdef0123456789abcdef',
    model: 'gpt-test',
    provider: 'simulated',
    deployment: 'simulated-1',
    protocolIn: 'openai-chat',
    protocolOut: 'openai-chat',
    streamed: true,
    status: ChargeStatus.COMPLETED,
    finishReason: 'stop',
    startedAtMs: BigInt(startedAtMs),
    firstTokenMs: 12,
    durationMs: 345,
    retries: 0,
    usageEstimated: false,
    lines: [{ bucket: 'output', quantity: cost, rateNanosPerMillion: 1_000_000n, amountNanos: cost }],
    priceVersion: 'v1',
    discountPpm: 0,
    costNanos: cost,
    trace: undefined,
    tags: { ...(capped ? { team: 'search' } : {}), ...(isLong ? LONG_TAGS : {}) },
    reportedUsage: '',
    clientSessionId: '',
    agentId: '',
    parentAgentId: '',
    httpStatus: 0,
    errorType: '',
    attempts: [],
    nodes: [],
  };
}
