import { messageOf } from '@tollgate/common/errors';

/** A value that is valid for a time. */
export interface Minted<T> {
  value: T;
  expiresAtMs: number;
}

interface RefreshedValueOptions<T> {
  /** Obtains a new value; called once at a time. */
  mint: () => Promise<Minted<T>>;
  now: () => number;
  onFailure: (detail: string) => void;
}

/** The current value, or why there is none. */
export type Obtained<T> = { kind: 'value'; value: T } | { kind: 'missing'; detail: string };

/** A value is refreshed when this part of its life is left, but at most so long before its end. */
const AHEAD_PART = 0.25;
const MAX_AHEAD_MS = 5 * 60_000;
/** It is no longer used this long before its end, or after so much of its life: a call takes a moment to arrive. */
const MARGIN_PART = 0.05;
const MAX_MARGIN_MS = 10_000;
/** Maximum time to obtain a value. */
const MINT_TIMEOUT_MS = 10_000;
/** Pauses between failed attempts; each is twice the last one, up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** Of a timer; Node.js fires longer ones at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A value that is refreshed in the background before it expires, as long as it is used. Only calls that find no valid
 * value wait, all of them for one attempt. After a failure they fail at once until the next attempt is due.
 */
export class RefreshedValue<T> {
  readonly #options: RefreshedValueOptions<T>;
  #current: (Minted<T> & { refreshAtMs: number; usableUntilMs: number; isUsed: boolean }) | undefined;
  #attempt: Promise<void> | undefined;
  #failure: { detail: string; retryAtMs: number; pauseMs: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RefreshedValueOptions<T>) {
    this.#options = options;
  }

  /** The last value, valid or not. */
  get last(): T | undefined {
    return this.#current?.value;
  }

  async get(): Promise<Obtained<T>> {
    const valid = this.#valid();
    if (valid !== undefined) {
      if (this.#options.now() >= valid.refreshAtMs) void this.#refresh();
      return { kind: 'value', value: valid.value };
    }
    await this.#refresh();
    const minted = this.#valid();
    if (minted !== undefined) return { kind: 'value', value: minted.value };
    return { kind: 'missing', detail: this.#failure?.detail ?? 'the credential has expired' };
  }

  /** Replaces the value before it is used again, unless it is not older than this: it was refused. */
  discard(value: T): void {
    if (this.#current?.value === value) this.#current.usableUntilMs = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #valid() {
    const current = this.#current;
    if (current === undefined || this.#options.now() >= current.usableUntilMs) return undefined;
    current.isUsed = true;
    return current;
  }

  /** Never rejects. */
  #refresh(): Promise<void> {
    if (this.#attempt !== undefined) return this.#attempt;
    if (this.#failure !== undefined && this.#options.now() < this.#failure.retryAtMs) return Promise.resolve();
    this.#attempt = this.#mint().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #mint(): Promise<void> {
    const { mint, now, onFailure } = this.#options;
    const before = this.#current?.expiresAtMs;
    try {
      const minted = await withinTime(mint());
      const atMs = now();
      const life = minted.expiresAtMs - atMs;
      if (life <= 0) throw new Error('the credential that was issued has already expired');
      // A metadata server may return the same token until shortly before its end.
      const ahead = minted.expiresAtMs === before ? life / 2 : Math.min(life * AHEAD_PART, MAX_AHEAD_MS);
      this.#current = {
        ...minted,
        refreshAtMs: minted.expiresAtMs - ahead,
        usableUntilMs: minted.expiresAtMs - Math.min(life * MARGIN_PART, MAX_MARGIN_MS),
        isUsed: false,
      };
      this.#failure = undefined;
      this.#refreshLater(this.#current.refreshAtMs - atMs);
    } catch (error) {
      const pauseMs = Math.min((this.#failure?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, MAX_PAUSE_MS);
      this.#failure = { detail: messageOf(error), retryAtMs: now() + pauseMs, pauseMs };
      onFailure(this.#failure.detail);
      if (this.#current?.isUsed === true) this.#refreshLater(pauseMs);
    }
  }

  /** A value that nobody has used by then is refreshed only when it is wanted again. */
  #refreshLater(inMs: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(
      () => {
        if (this.#current?.isUsed === true) void this.#refresh();
      },
      Math.min(Math.max(0, inMs), MAX_TIMER_MS),
    ).unref();
  }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no credential within ${MINT_TIMEOUT_MS} ms`)), MINT_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
