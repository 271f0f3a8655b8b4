import type { Logger } from '@tollgate/common/logging';
import { Allowance } from '../allowance.ts';
import type { KeyRefusalReason } from '../authenticate/result.ts';
import { dropOldest } from '../drop-oldest.ts';
import { FailureLog } from './failure-log.ts';

/** Why a request was not authenticated. */
export type FailureReason = KeyRefusalReason | 'missing';

/** What more is granted with each second, of each allowance. */
const PER_SECOND = 1;
/** How long the answer of a refused request is held back, and how many such answers may be at once. */
const DELAY_MS = 1_000;
const MOST_DELAYED = 1_000;
const MOST_DELAYED_OF_NETWORK = 32;
/** Networks that are remembered, and accounts within them. The longest untouched is forgotten first. */
const MOST_NETWORKS = 10_000;
const MOST_ACCOUNT_LOOKS = 10_000;
/** Accounts that are known to exist. The longest known is forgotten first. */
const MOST_KNOWN_ACCOUNTS = 100_000;
const ROUND_MS = 60_000;

/** A client whose request was refused. */
export interface RefusedClient {
  /** See networkOf. */
  network: string;
  /** Calls back when the client leaves. */
  onLeft: (listener: () => void) => void;
  /** Whether keeping it waiting takes next to no memory. */
  isLight: boolean;
}

/** What this process knows of a presented key by itself. */
export type Acquaintance =
  /** The key itself: what it comes to, or that it was good lately. */
  | { kind: 'key' }
  /** That the account with this tag exists. */
  | { kind: 'account'; tag: string }
  | { kind: 'none' };

/** What a refused request is answered: its 401, or that there were too many. */
export type Verdict = { kind: 'refuse' } | { kind: 'slow_down'; retryAfterMs: number };

export interface AttemptsOptions {
  logger: Logger;
  /** Counts one failure. */
  count: (reason: FailureReason) => void;
  /**
   * How many requests of one network may be refused, and of how many keys of it stores may be asked in vain, before it is
   * slowed; so many also by keys that name one account. 0: nobody is slowed.
   */
  burst: number;
  /** A clock that never goes back, in milliseconds. */
  now?: () => number;
}

interface NetworkState {
  answers: Allowance;
  looks: Allowance;
  delayed: number;
}

const REFUSE: Verdict = { kind: 'refuse' };

/**
 * Counts failed authentications, and slows networks from which they come one after the other: their refusals are held back,
 * and stores are asked for few of the keys that nobody knows. A good key of the same network that this process knows, or
 * whose account it knows, works as before.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #now: () => number;
  readonly #log: FailureLog;
  readonly #networks = new Map<string, NetworkState>();
  /** By their tags. */
  readonly #knownAccounts = new Set<string>();
  /** By network and account. */
  readonly #accountLooks = new Map<string, Allowance>();
  #round: NodeJS.Timeout | undefined;
  #delayed = 0;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#log = new FailureLog(options.logger);
  }

  start(): void {
    this.#round = setInterval(() => this.#endRound(), ROUND_MS);
    this.#round.unref();
  }

  /** Tells what was counted and not told yet. */
  stop(): void {
    clearInterval(this.#round);
    this.#log.tell();
  }

  /** How many networks are remembered. Where there are none, nobody needs to be asked about. */
  get networks(): number {
    return this.#networks.size;
  }

  /** Whether a network failed lately. */
  remembers(network: string): boolean {
    return this.#networks.has(network);
  }

  /** Notes that there is an account, by the tag in its keys. */
  welcome(accountTag: string): void {
    if (this.#knownAccounts.has(accountTag)) return;
    this.#knownAccounts.add(accountTag);
    if (this.#knownAccounts.size > MOST_KNOWN_ACCOUNTS) dropOldest(this.#knownAccounts);
  }

  isKnownAccount(accountTag: string): boolean {
    return this.#knownAccounts.has(accountTag);
  }

  /**
   * How long a client is to wait before stores are asked for its key; 0: not at all.
   *
   * A flood of invented keys names invented accounts, so that a key of an account that is known to have good ones is asked
   * for where a stranger is not.
   */
  waitBeforeLook(network: string, acquaintance: Acquaintance): number {
    const nowMs = this.#now();
    const waitMs = this.#networks.get(network)?.looks.waitMs(nowMs) ?? 0;
    if (waitMs === 0 || acquaintance.kind === 'key') return 0;
    if (acquaintance.kind === 'none') return waitMs;
    return this.#accountLooks.get(accountName(network, acquaintance.tag))?.waitMs(nowMs) ?? 0;
  }

  /** Counts a key that a store was asked for in vain; to be called beside `failed`. */
  lookedInVain(network: string, acquaintance: Acquaintance): void {
    if (this.#options.burst === 0) return;
    const nowMs = this.#now();
    const { looks } = this.#stateOf(network);
    if (acquaintance.kind === 'account' && looks.waitMs(nowMs) > 0) {
      const name = accountName(network, acquaintance.tag);
      touch(this.#accountLooks, name, () => this.#allowance(nowMs), MOST_ACCOUNT_LOOKS).take(nowMs);
      return;
    }
    looks.take(nowMs);
  }

  /** Counts a request without a key: it guesses nothing, and is not held back. */
  missing(network: string): void {
    this.#count(network, 'missing');
  }

  /** Counts a refused key, and resolves with what to answer once it may be answered. */
  async failed({ network, onLeft, isLight }: RefusedClient, reason: KeyRefusalReason): Promise<Verdict> {
    this.#count(network, reason);
    if (this.#options.burst === 0) return REFUSE;
    const nowMs = this.#now();
    const state = this.#stateOf(network);
    const retryAfterMs = state.answers.waitMs(nowMs);
    if (retryAfterMs === 0) {
      state.answers.take(nowMs);
      return REFUSE;
    }
    const isRoom = this.#delayed < MOST_DELAYED && state.delayed < MOST_DELAYED_OF_NETWORK;
    if (!isRoom || !isLight) return { kind: 'slow_down', retryAfterMs };
    this.#delayed += 1;
    state.delayed += 1;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DELAY_MS);
      onLeft(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#delayed -= 1;
    state.delayed -= 1;
    return REFUSE;
  }

  #count(network: string, reason: FailureReason): void {
    this.#options.count(reason);
    this.#log.count(network, reason);
  }

  #allowance(nowMs: number): Allowance {
    return new Allowance({ burst: this.#options.burst, perSecond: PER_SECOND }, nowMs);
  }

  #stateOf(network: string): NetworkState {
    const make = () => {
      const nowMs = this.#now();
      return { answers: this.#allowance(nowMs), looks: this.#allowance(nowMs), delayed: 0 };
    };
    return touch(this.#networks, network, make, MOST_NETWORKS);
  }

  /** Tells what was counted, and forgets who has made good. */
  #endRound(): void {
    this.#log.tell();
    const nowMs = this.#now();
    for (const [network, { answers, looks, delayed }] of this.#networks) {
      if (delayed === 0 && answers.isWhole(nowMs) && looks.isWhole(nowMs)) this.#networks.delete(network);
    }
    for (const [name, looks] of this.#accountLooks) {
      if (looks.isWhole(nowMs)) this.#accountLooks.delete(name);
    }
  }
}

function accountName(network: string, tag: string): string {
  return `${network} ${tag}`;
}

/** Finds or makes an entry, which is the youngest from then on; the oldest goes where there are too many. */
function touch<Value>(entries: Map<string, Value>, name: string, make: () => Value, most: number): Value {
  const value = entries.get(name) ?? make();
  entries.delete(name);
  entries.set(name, value);
  if (entries.size > most) dropOldest(entries);
  return value;
}
