import type { Form } from './form.ts';

/** Maximum number of kept calls. */
const MAX_CALLS = 10_000;

/** A call of the API, as tests see it. */
export interface Call {
  /** Number of the call, from 1. */
  sequence: number;
  request_id: string;
  method: string;
  path: string;
  parameters: Form;
  idempotency_key: string | null;
  stripe_version: string | null;
  /** Status of the answer; 0 while there is none. */
  status: number;
  /** Whether the answer is a recorded one. */
  replayed: boolean;
  /** Whether the caller was not to get the answer. */
  lost: boolean;
}

/** Keeps the latest calls. */
export class Calls {
  readonly #calls: Call[] = [];
  #count = 0;

  begin(
    call: Pick<Call, 'request_id' | 'method' | 'path' | 'parameters' | 'idempotency_key' | 'stripe_version'>,
  ): Call {
    this.#count += 1;
    const record = { ...call, sequence: this.#count, status: 0, replayed: false, lost: false };
    this.#calls.push(record);
    if (this.#calls.length > MAX_CALLS) this.#calls.shift();
    return record;
  }

  /** The kept calls, oldest first. */
  all(): readonly Call[] {
    return this.#calls;
  }
}
