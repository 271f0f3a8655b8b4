import { StripeFailure } from './failure.ts';

/**
 * What goes wrong with a call of the API.
 *
 * `lose_request`: the connection breaks before the call takes effect. `lose_response`: it breaks after. `hold_request`: the call
 * waits, without effect, until held calls are released. `hold_response`: it takes effect and its answer waits. `status`: it is
 * answered with that status, without effect. `recorded_error`: it takes effect, and the answer is a 500 that its idempotency key
 * repeats.
 */
export type Fault =
  | { kind: 'lose_request' | 'lose_response' | 'hold_request' | 'hold_response' | 'recorded_error' }
  | { kind: 'status'; status: number };

/** Which calls a fault meets. */
export interface Target {
  /** Default: any method. */
  method?: string | undefined;
  /** Beginning of the path. Default: any. */
  path?: string | undefined;
  /** Number of calls that it meets. Default: 1. */
  times?: number | undefined;
}

/** Maximum number of calls that wait. */
const MAX_HELD = 100;

/** The faults to come. */
export class Faults {
  #planned: { fault: Fault; target: Target; left: number }[] = [];
  #held: (() => void)[] = [];

  plan(fault: Fault, target: Target = {}): void {
    this.#planned.push({ fault, target, left: target.times ?? 1 });
  }

  /** The fault that meets this call; the earliest planned one first. */
  take(method: string, path: string): Fault | undefined {
    const found = this.#planned.find(
      ({ target }) => (target.method ?? method) === method && path.startsWith(target.path ?? ''),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.#planned = this.#planned.filter((one) => one !== found);
    return found.fault;
  }

  /** Forgets the faults that have not happened. */
  clear(): void {
    this.#planned = [];
  }

  /** Waits until held calls are released. */
  hold(): Promise<void> {
    if (this.#held.length >= MAX_HELD) throw new StripeFailure(503, `More than ${MAX_HELD} calls are held.`);
    return new Promise((resolve) => this.#held.push(resolve));
  }

  get held(): number {
    return this.#held.length;
  }

  /** Lets held calls go on. */
  release(): void {
    for (const go of this.#held) go();
    this.#held = [];
  }
}

/** The refusal of a call that is answered with a status. */
export function failureWith(status: number): StripeFailure {
  if (status === 429)
    return new StripeFailure(429, 'Too many requests hit the API too quickly.', { code: 'rate_limit' });
  if (status < 500) return new StripeFailure(status, 'The request was refused, as planned.');
  return new StripeFailure(status, 'Something went wrong on our end, as planned.', { type: 'api_error' });
}
