import { BALANCE } from '@tollgate/common/cap-periods';
import { minBigInt } from '@tollgate/common/money';
import type { AcquireCredit, CeilingState, LeaseState, Need, ReturnCredit } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountCredit } from './account-credit.ts';
import { ceilingKey } from './ceiling.ts';
import { OpenHold } from './open-hold.ts';
import { type CappedNode, type CappedPath, DEFAULT_CREDIT_LIMITS, type HoldRequest, type HoldResult } from './types.ts';

type ToLedger =
  | { kind: 'acquire'; message: AcquireCredit }
  | { kind: 'return'; message: ReturnCredit }
  | { kind: 'settle'; hold: OpenHold; nanos: bigint };
type ToSession = { kind: 'state'; state: LeaseState } | { kind: 'settled'; hold: OpenHold; nanos: bigint };

interface Part {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  sequence: bigint;
}

/** One ceiling in the ledger, and what sessions have of it. */
class PlainCeiling {
  limit: bigint;
  revision = 1n;
  readonly parts = new Map<Session, Part>();

  constructor(limit: bigint) {
    this.limit = limit;
  }

  part(session: Session): Part {
    const known = this.parts.get(session);
    if (known !== undefined) return known;
    const part = { granted: 0n, spent: 0n, returned: 0n, sequence: 0n };
    this.parts.set(session, part);
    return part;
  }

  get room(): bigint {
    let leased = 0n;
    for (const { granted, returned } of this.parts.values()) leased += granted - returned;
    return this.limit - leased;
  }

  get left(): bigint {
    let spent = 0n;
    for (const part of this.parts.values()) spent += part.spent;
    return this.limit > spent ? this.limit - spent : 0n;
  }
}

/** A minimal ledger of one account's ceilings that follows the rules. */
class PlainLedger {
  readonly #ceilings = new Map<string, PlainCeiling>();

  constructor(balance: bigint) {
    this.#ceilings.set(ceilingKey(BALANCE), new PlainCeiling(balance));
  }

  take(session: Session, message: ToLedger): ToSession {
    switch (message.kind) {
      case 'settle': {
        const { hold, nanos } = message;
        for (const { name } of hold.leases) this.#ceiling(ceilingKey(name), 0n).part(session).spent += nanos;
        return { kind: 'settled', hold, nanos };
      }
      case 'return': {
        const { ceiling = BALANCE, returnedTotal } = message.message;
        const known = this.#ceiling(ceilingKey(ceiling), 0n);
        const part = known.part(session);
        const total = minBigInt(returnedTotal, part.granted - part.spent);
        if (total > part.returned) part.returned = total;
        return this.#answer(0n, [this.#state(known, ceiling, part, false)]);
      }
      case 'acquire':
        return this.#acquire(session, message.message);
      default:
        return message satisfies never;
    }
  }

  #acquire(session: Session, { sequence, needs }: AcquireCredit): ToSession {
    const asked = needs.map((need) => this.#read(session, need, sequence));
    const isGranted = asked.every(({ isShort }) => !isShort);
    for (const { known, part, more } of asked) {
      if (!isGranted || more <= 0n) continue;
      // Grants half of what is available beyond the need as well, so that sessions have free credit.
      part.granted += more + (known.room - more) / 2n;
      part.sequence = sequence;
    }
    const states = asked.map(({ known, name, part, isShort }) => this.#state(known, name, part, isShort));
    return this.#answer(sequence, states);
  }

  #read(session: Session, { ceiling: name = BALANCE, ...need }: Need, sequence: bigint) {
    const known = this.#ceiling(ceilingKey(name), need.limitNanos);
    if (need.revision > known.revision) Object.assign(known, { limit: need.limitNanos, revision: need.revision });
    const part = known.part(session);
    const more = sequence < part.sequence ? 0n : need.grantedTotalNeeded - part.granted;
    return { known, name, part, more, isShort: more > 0n ? more > known.room : known.room < 0n };
  }

  #ceiling(key: string, limit: bigint): PlainCeiling {
    const known = this.#ceilings.get(key) ?? new PlainCeiling(limit);
    this.#ceilings.set(key, known);
    return known;
  }

  #state(known: PlainCeiling, ceiling: Need['ceiling'], part: Part, short: boolean): CeilingState {
    return {
      ceiling,
      grantedTotal: part.granted,
      spentTotal: part.spent,
      returnedTotal: part.returned,
      short,
      leftNanos: known.left,
      availableNanos: known.room > 0n ? known.room : 0n,
      limitNanos: ceiling?.nodeId === '' ? 0n : known.limit,
      revision: ceiling?.nodeId === '' ? 0n : known.revision,
    };
  }

  #answer(sequence: bigint, ceilings: CeilingState[]): ToSession {
    const refused = sequence > 0n && ceilings.some(({ short }) => short);
    return { kind: 'state', state: { accountId: 'account', sequence, refused, suspended: false, ceilings } };
  }
}

/** The account at an ingress; the test delivers its messages. */
class Session {
  readonly sent: ToLedger[] = [];
  readonly coming: ToSession[] = [];
  readonly open: OpenHold[] = [];
  readonly account: AccountCredit;
  #sequence = 0n;

  constructor() {
    const owner = { id: 'session', openHolds: 0, unsettled: 0, finished: false };
    const listener = { capture: () => Promise.resolve(), release: () => undefined };
    this.account = new AccountCredit('account', owner, {
      limits: DEFAULT_CREDIT_LIMITS,
      nowMs: () => Date.now(),
      lastSequence: () => this.#sequence,
      streamUp: () => true,
      unavailableReason: () => undefined,
      acquire: (create) => {
        this.#sequence += 1n;
        this.sent.push({ kind: 'acquire', message: create(this.#sequence) });
        return this.#sequence;
      },
      sendReturn: ({ accountId }, { name: ceiling, returnedTotal }) => {
        this.sent.push({ kind: 'return', message: { accountId, ceiling, returnedTotal } });
        return true;
      },
      createHold: (account, path, nanos) => new OpenHold(account, path, nanos, listener),
      waiterFinished: () => undefined,
    });
  }

  receive(message: ToSession): void {
    if (message.kind === 'state') this.account.applyState(message.state);
    else for (const lease of message.hold.leases) lease.acknowledge(message.nanos, false);
  }

  /** Ends an open hold that spent a part of it. @returns the hold, and its unused rest */
  end(index: number, tenths: bigint): { hold: OpenHold; rest: bigint } | undefined {
    const [hold] = this.open.splice(this.open.length === 0 ? 0 : index % this.open.length, 1);
    if (hold === undefined) return undefined;
    const charged = (hold.nanos * tenths) / 10n;
    if (charged > 0n) this.sent.push({ kind: 'settle', hold, nanos: charged });
    this.account.endHold(hold.leases, hold.nanos, charged);
    return { hold, rest: hold.nanos - charged };
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const who = fc.nat(2);
/** Mostly of one key, so that its limits matter. */
const key = fc.constantFrom(0, 1, 1, 1, 2);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const), who, key, nanos: fc.bigInt(1n, 40n) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('end' as const), who, at: fc.nat(20), tenths: fc.bigInt(0n, 5n) }),
  },
  // How many messages to the ledger and how many of its responses arrive, and the position of the first one.
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), who, up: fc.nat(4), down: fc.nat(4), at: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), who, key, limit: fc.bigInt(0n, 150n) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recall' as const), who, at: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), who, ms: fc.integer({ min: 10, max: 6_000 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A node whose limits change. */
class Node {
  readonly id: string;
  revision = 1n;
  limits: { month: bigint; total: bigint };
  /** Charged by ended holds plus held by open ones. */
  used = 0n;

  constructor(id: string, total: bigint) {
    this.id = id;
    this.limits = { month: total + 50n, total };
  }

  get capped(): CappedNode {
    const caps = { dayNanos: undefined, monthNanos: this.limits.month, totalNanos: this.limits.total };
    return { nodeId: this.id, caps, grants: [], revision: this.revision };
  }

  get limit(): bigint {
    return minBigInt(this.limits.month, this.limits.total);
  }
}

const BALANCE_NANOS = 300n;

/**
 * Three sessions on an account with a key without limits, and two with limits below a project that has some as well. Every hold is
 * checked against the limits that its request had.
 */
class World {
  readonly beyond: string[] = [];
  taken = 0;
  readonly #ledger = new PlainLedger(BALANCE_NANOS);
  readonly #sessions = [new Session(), new Session(), new Session()];
  readonly #project = new Node('project', 160n);
  readonly #paths = [[], [this.#project, new Node('one', 100n)], [this.#project, new Node('two', 100n)]] as const;
  #used = 0n;
  readonly #leaving = new AbortController();
  readonly #pathOf = new Map<OpenHold, readonly Node[]>();

  async run(each: Step): Promise<void> {
    const session = this.#sessions[each.who];
    if (session === undefined) throw new Error('there are three sessions');
    switch (each.kind) {
      case 'request':
        this.#request(session, this.#path(each.key), each.nanos);
        break;
      case 'end': {
        const ended = session.end(each.at, each.tenths);
        if (ended === undefined) break;
        this.#used -= ended.rest;
        for (const node of this.#pathOf.get(ended.hold) ?? []) node.used -= ended.rest;
        break;
      }
      case 'deliver':
        for (const message of picked(session.sent, each.at, each.up)) {
          session.coming.push(this.#ledger.take(session, message));
        }
        for (const message of picked(session.coming, each.at, each.down)) session.receive(message);
        break;
      case 'change': {
        const changed = this.#path(each.key).at(-1) ?? this.#project;
        changed.limits = { month: each.limit + 20n, total: each.limit };
        changed.revision += 1n;
        break;
      }
      case 'recall': {
        const leases = [...session.account.leases];
        session.account.recalled(leases[each.at % leases.length]?.name ?? BALANCE, false);
        break;
      }
      case 'time':
        session.account.sweep();
        await vi.advanceTimersByTimeAsync(each.ms);
        break;
      default:
        each satisfies never;
    }
    await vi.advanceTimersByTimeAsync(0);
  }

  async end(): Promise<void> {
    this.#leaving.abort();
    await vi.advanceTimersByTimeAsync(0);
  }

  #path(index: number): readonly Node[] {
    const found = this.#paths[index];
    if (found === undefined) throw new Error('there are three keys');
    return found;
  }

  #request({ account, open }: Session, path: readonly Node[], nanos: bigint): void {
    const { signal } = this.#leaving;
    const nodes = path.map((node) => node.capped);
    const capped = nodes.length === 0 ? undefined : { nodes, startedAtMs: 0 };
    const request: HoldRequest = { accountId: 'account', maxNanos: nanos, minNanos: nanos, capped, signal };
    const took = (hold: OpenHold) => {
      open.push(hold);
      this.#took(hold, path, nodes);
    };
    const hold = account.tryHold(request);
    if (hold !== undefined) {
      took(hold);
      return;
    }
    void account.wait(request).then((result: HoldResult<OpenHold>) => {
      if (result.kind === 'held') took(result.hold);
    });
  }

  #took(hold: OpenHold, path: readonly Node[], known: readonly CappedNode[]): void {
    this.#pathOf.set(hold, path);
    this.taken += 1;
    for (const [place, node] of path.entries()) {
      node.used += hold.nanos;
      const isCurrent = known[place]?.revision === node.revision;
      if (isCurrent && node.used > node.limit) this.beyond.push(`${node.id}: ${node.used}`);
    }
    this.#used += hold.nanos;
    if (this.#used > BALANCE_NANOS) this.beyond.push(`the balance: ${this.#used}`);
  }
}

/** Takes up to `count` messages out of a queue, from a position in the middle. */
function picked<T>(queue: T[], at: number, count: number): T[] {
  return queue.splice(queue.length === 0 ? 0 : at % queue.length, count);
}

describe('what three sessions lease of a balance and of limits below it', () => {
  it('never lets a request exceed any of them, however limits change and messages are reordered', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 150, size: 'max' }), async (steps) => {
        const world = new World();
        for (const each of steps) {
          await world.run(each);
          expect(world.beyond).toEqual([]);
        }
        await world.end();
        taken += world.taken;
      }),
      { numRuns: 200 },
    );
    // A ledger that never grants anything would pass too.
    expect(taken).toBeGreaterThan(100);
  });
});

describe('a request that has ended', () => {
  it('takes its charge from each ceiling of its path, and frees the rest of its hold', async () => {
    const session = new Session();
    const ledger = new PlainLedger(1_000n);
    const nodes = [new Node('project', 200n).capped, new Node('one', 100n).capped];
    const { signal } = new AbortController();
    const request = { accountId: 'account', maxNanos: 60n, minNanos: 60n, capped: { nodes, startedAtMs: 0 }, signal };
    const result = session.account.wait(request);
    for (const message of session.sent.splice(0)) session.receive(ledger.take(session, message));
    const ended = await result;
    if (ended.kind !== 'held') throw new Error(`not held: ${ended.kind}`);
    const free = () => [...session.account.leases].map((lease) => lease.freeNanos);
    const before = free();
    session.account.endHold(ended.hold.leases, 60n, 45n);
    expect(before).toHaveLength(5);
    expect(free()).toEqual(before.map((nanos) => nanos + 15n));
    expect([...session.account.leases].map((lease) => lease.claimedNanos)).toEqual(before.map(() => 45n));
  });
});

describe('requests that wait', () => {
  const { signal } = new AbortController();
  const requestOf = (nanos: bigint, ...path: Node[]): HoldRequest => {
    const nodes = path.map((node) => node.capped);
    const capped: CappedPath | undefined = nodes.length === 0 ? undefined : { nodes, startedAtMs: 0 };
    return { accountId: 'account', maxNanos: nanos, minNanos: nanos, capped, signal };
  };
  const exchange = (session: Session, ledger: PlainLedger) => {
    for (const message of session.sent.splice(0)) session.receive(ledger.take(session, message));
  };
  const heldNow = async (result: Promise<HoldResult<OpenHold>>): Promise<OpenHold> => {
    const ended = await result;
    if (ended.kind !== 'held') throw new Error(`not held: ${ended.kind}`);
    return ended.hold;
  };

  it('keep only what they lack from those behind them', async () => {
    const session = new Session();
    const ledger = new PlainLedger(300n);
    const one = new Node('one', 100n);
    const whole = session.account.wait(requestOf(100n, one));
    exchange(session, ledger);
    const hold = await heldNow(whole);
    const waiting = session.account.wait(requestOf(60n, one));
    exchange(session, ledger);
    expect(session.account.waiting).toBe(1);
    const behind = session.account.tryHold(requestOf(10n)) ?? (await heldNow(session.account.wait(requestOf(10n))));
    expect(behind.nanos).toBe(10n);
    session.account.endHold(hold.leases, hold.nanos, 0n);
    expect((await heldNow(waiting)).nanos).toBe(60n);
  });

  it('are served before later ones that need the same', async () => {
    const session = new Session();
    const ledger = new PlainLedger(100n);
    const one = new Node('one', 100n);
    const first = session.account.wait(requestOf(80n, one));
    exchange(session, ledger);
    const hold = await heldNow(first);
    const waiting = session.account.wait(requestOf(50n));
    exchange(session, ledger);
    expect(session.account.balance.freeNanos).toBeGreaterThan(1n);
    expect(session.account.tryHold(requestOf(1n))).toBeUndefined();
    expect(session.account.tryHold(requestOf(1n, one))).toBeUndefined();
    session.account.endHold(hold.leases, hold.nanos, 0n);
    expect((await heldNow(waiting)).nanos).toBe(50n);
    // Nobody waits any more: what is free is taken at once.
    expect(session.account.tryHold(requestOf(1n))?.nanos).toBe(1n);
  });

  it('leave nothing behind when their time is over', async () => {
    const session = new Session();
    const ledger = new PlainLedger(100n);
    const first = session.account.wait(requestOf(90n));
    exchange(session, ledger);
    await heldNow(first);
    const waiting = session.account.wait(requestOf(50n));
    exchange(session, ledger);
    await vi.advanceTimersByTimeAsync(DEFAULT_CREDIT_LIMITS.waitMs);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({ kind: 'busy' });
    expect(session.account.tryHold(requestOf(1n))?.nanos).toBe(1n);
  });

  it('of one key leave other keys of a project what they lack, but nothing of what the project lacks', async () => {
    const session = new Session();
    const ledger = new PlainLedger(1_000n);
    const project = new Node('project', 100n);
    const [one, two] = [new Node('one', 50n), new Node('two', 90n)];
    const first = session.account.wait(requestOf(50n, project, one));
    exchange(session, ledger);
    const hold = await heldNow(first);
    // The key is used up, the project is not.
    const waiting = session.account.wait(requestOf(10n, project, one));
    exchange(session, ledger);
    const other = session.account.wait(requestOf(30n, project, two));
    exchange(session, ledger);
    expect((await heldNow(other)).nanos).toBe(30n);
    // Now the project lacks it too.
    const blocked = session.account.wait(requestOf(40n, project, two));
    exchange(session, ledger);
    expect(session.account.waiting).toBe(2);
    session.account.endHold(hold.leases, hold.nanos, 0n);
    expect((await heldNow(waiting)).nanos).toBe(10n);
    // The other key's own limit was not acquired while the project fell short.
    await vi.advanceTimersByTimeAsync(DEFAULT_CREDIT_LIMITS.acquireRetryMaxMs);
    exchange(session, ledger);
    expect((await heldNow(blocked)).nanos).toBe(40n);
  });

  it('are told of the tightest ceiling', async () => {
    const session = new Session();
    const ledger = new PlainLedger(80n);
    const one = new Node('one', 100n);
    one.limits = { month: 70n, total: 60n };
    const refused = session.account.wait(requestOf(90n, one));
    exchange(session, ledger);
    expect(await refused).toEqual({
      kind: 'insufficient',
      limit: {
        nodeId: 'one',
        window: 'total',
        startMs: 0,
        limitNanos: 60n,
        spentNanos: 0n,
        leftNanos: 60n,
        heldNanos: 0n,
      },
    });
    one.limits = { month: 170n, total: 160n };
    one.revision += 1n;
    const poor = session.account.wait(requestOf(90n, one));
    exchange(session, ledger);
    expect(await poor).toMatchObject({ kind: 'insufficient', limit: { window: null, leftNanos: 80n } });
  });
});
