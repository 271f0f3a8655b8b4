import { minBigInt } from '@tollgate/common/money';
import type { AcquireCap, CapState, ReturnCap } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CapCredit, type CapHold } from './cap-credit.ts';
import { DEFAULT_CREDIT_LIMITS } from './types.ts';

type ToLedger =
  | { kind: 'acquire'; message: AcquireCap }
  | { kind: 'return'; message: ReturnCap }
  | { kind: 'settle'; nanos: bigint };
type ToSession = { kind: 'state'; state: CapState } | { kind: 'settled'; nanos: bigint };

const CAP = { accountId: 'account', keyId: 'key', period: 'total', startMs: 0 } as const;

/** A minimal ledger of one cap that follows the rules. */
class PlainLedger {
  limit: bigint;
  revision = 1n;
  readonly sessions = new Map<Session, { granted: bigint; spent: bigint; returned: bigint; sequence: bigint }>();

  constructor(limit: bigint) {
    this.limit = limit;
  }

  take(session: Session, message: ToLedger): ToSession {
    const part = this.sessions.get(session) ?? { granted: 0n, spent: 0n, returned: 0n, sequence: 0n };
    this.sessions.set(session, part);
    switch (message.kind) {
      case 'settle':
        part.spent += message.nanos;
        return { kind: 'settled', nanos: message.nanos };
      case 'return': {
        const total = minBigInt(message.message.returnedTotal, part.granted - part.spent);
        if (total > part.returned) part.returned = total;
        return this.#state(part, 0n, false);
      }
      case 'acquire': {
        const { sequence, grantedTotalNeeded, limitNanos, keyRevision } = message.message;
        if (keyRevision > this.revision) {
          this.limit = limitNanos;
          this.revision = keyRevision;
        }
        const need = grantedTotalNeeded - part.granted;
        if (need <= 0n || sequence < part.sequence) return this.#state(part, sequence, this.#room() < 0n);
        if (need > this.#room()) return this.#state(part, sequence, true);
        // Grants half of what is available beyond the need as well, so that sessions have free credit.
        part.granted += need + (this.#room() - need) / 2n;
        part.sequence = sequence;
        return this.#state(part, sequence, false);
      }
      default:
        return message satisfies never;
    }
  }

  get spent(): bigint {
    return [...this.sessions.values()].reduce((sum, part) => sum + part.spent, 0n);
  }

  #room(): bigint {
    const leased = [...this.sessions.values()].reduce((sum, part) => sum + part.granted - part.returned, 0n);
    return this.limit - leased;
  }

  #state(part: { granted: bigint; spent: bigint; returned: bigint }, sequence: bigint, refused: boolean): ToSession {
    const state = {
      cap: undefined,
      sequence,
      grantedTotal: part.granted,
      spentTotal: part.spent,
      returnedTotal: part.returned,
      refused,
      limitNanos: this.limit,
      leftNanos: this.limit > this.spent ? this.limit - this.spent : 0n,
      availableNanos: this.#room() > 0n ? this.#room() : 0n,
      keyRevision: this.revision,
    };
    return { kind: 'state', state };
  }
}

/** The cap at an ingress; the test delivers its messages. */
class Session {
  readonly sent: ToLedger[] = [];
  readonly coming: ToSession[] = [];
  readonly open: bigint[] = [];
  readonly credit: CapCredit;
  #sequence = 0n;

  constructor(limitNanos: bigint) {
    const owner = { id: 'session', openHolds: 0, unsettled: 0, finished: false };
    this.credit = new CapCredit(CAP, limitNanos, 1n, owner, {
      limits: DEFAULT_CREDIT_LIMITS,
      nowMs: () => Date.now(),
      lastSequence: () => this.#sequence,
      streamUp: () => true,
      unavailableReason: () => undefined,
      acquireCap: (cap, shortfallNanos, prefetch) => {
        this.#sequence += 1n;
        this.sent.push({ kind: 'acquire', message: cap.beginAcquire(this.#sequence, shortfallNanos, prefetch) });
        return true;
      },
      sendReturnCap: (cap) => {
        this.sent.push({ kind: 'return', message: cap.returnMessage() });
        return true;
      },
    });
  }

  receive(message: ToSession): void {
    if (message.kind === 'state') this.credit.applyState(message.state);
    else this.credit.acknowledge(message.nanos, false);
  }

  /** Ends an open hold that spent a part of it. @returns the unused rest */
  end(index: number, tenths: bigint): bigint {
    const [nanos] = this.open.splice(this.open.length === 0 ? 0 : index % this.open.length, 1);
    if (nanos === undefined) return 0n;
    const charged = (nanos * tenths) / 10n;
    if (charged > 0n) this.sent.push({ kind: 'settle', nanos: charged });
    this.credit.endHold(nanos, charged);
    return nanos - charged;
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const who = fc.nat(2);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('request' as const), who, nanos: fc.bigInt(1n, 40n) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('end' as const), who, at: fc.nat(20), tenths: fc.bigInt(0n, 5n) }),
  },
  // How many messages to the ledger and how many of its responses arrive, and the position of the first one.
  {
    weight: 9,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), who, up: fc.nat(4), down: fc.nat(4), at: fc.nat(3) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), who, limit: fc.bigInt(0n, 400n) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recall' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), who, ms: fc.integer({ min: 10, max: 6_000 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Three sessions on one cap whose limit changes; every hold is checked against the limit that its request had. */
class World {
  readonly beyond: string[] = [];
  taken = 0;
  readonly #ledger = new PlainLedger(100n);
  readonly #sessions = [new Session(100n), new Session(100n), new Session(100n)];
  readonly #leaving = new AbortController();
  #limit = 100n;
  #revision = 1n;
  /** Charged by ended holds plus held by open ones. */
  #used = 0n;

  async run(each: Step): Promise<void> {
    const session = this.#sessions[each.who];
    if (session === undefined) throw new Error('there are three sessions');
    switch (each.kind) {
      case 'request':
        this.#request(session, each.nanos);
        break;
      case 'end':
        this.#used -= session.end(each.at, each.tenths);
        break;
      case 'deliver':
        for (const message of picked(session.sent, each.at, each.up)) {
          session.coming.push(this.#ledger.take(session, message));
        }
        for (const message of picked(session.coming, each.at, each.down)) session.receive(message);
        break;
      case 'change':
        this.#limit = each.limit;
        this.#revision += 1n;
        break;
      case 'recall':
        session.credit.recalled();
        break;
      case 'time':
        session.credit.sweep();
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

  #request({ credit }: Session, nanos: bigint): void {
    const revision = this.#revision;
    credit.updateLimit(this.#limit, revision);
    if (credit.tryHold(nanos)) {
      this.#took({ cap: credit, nanos }, revision);
      return;
    }
    const request = { accountId: 'account', maxNanos: nanos, minNanos: nanos, signal: this.#leaving.signal };
    void credit.waitForHold(request, 2_000).then((result) => {
      if (result.kind === 'held') this.#took(result.hold, revision);
    });
  }

  #took({ cap, nanos }: CapHold, revision: bigint): void {
    this.#sessions.find(({ credit }) => credit === cap)?.open.push(nanos);
    this.taken += 1;
    this.#used += nanos;
    if (revision === this.#revision && this.#used > this.#limit) this.beyond.push(`${this.#used} of ${this.#limit}`);
  }
}

/** Takes up to `count` messages out of a queue, from a position in the middle. */
function picked<T>(queue: T[], at: number, count: number): T[] {
  return queue.splice(queue.length === 0 ? 0 : at % queue.length, count);
}

describe('the parts of a cap that three sessions lease', () => {
  it('never let a request exceed its limit, however the cap changes and messages are reordered', async () => {
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
      { numRuns: 150 },
    );
    // A ledger that never grants anything would pass too.
    expect(taken).toBeGreaterThan(100);
  });
});
