/** The warning for a result after the first one of its call. */
export const REPEATED_RESULT = 'left out, since the call has a result already';

interface Call {
  readonly id: string;
  isAnswered: boolean;
}

/**
 * Ids for the function calls of a conversation. Google's are optional: calls without one get one by their position, and
 * a result without one belongs to the first call of its name without a result.
 */
export class CallIds {
  readonly #givenById = new CallQueues();
  readonly #byName = new CallQueues();
  readonly #withoutIdByName = new CallQueues();
  #count = 0;

  called(id: string | undefined, name: string): string {
    const given = id === '' ? undefined : id;
    const call = { id: given ?? `call_${++this.#count}_of_${name}`, isAnswered: false };
    if (given !== undefined) this.#givenById.add(given, call);
    else this.#withoutIdByName.add(name, call);
    this.#byName.add(name, call);
    return call.id;
  }

  /** Undefined when there is no such call. */
  answered(id: string | undefined, name: string): string | undefined {
    const call = this.#find(id, name);
    if (call !== undefined) call.isAnswered = true;
    return call?.id;
  }

  /** Whether a result belongs to a call, by its id, that already has one. Gemini CLI repeats results in resumed sessions. */
  isRepeated(id: string | undefined, name: string): boolean {
    return id !== undefined && this.#givenById.has(id) && this.#find(id, name) === undefined;
  }

  #find(id: string | undefined, name: string): Call | undefined {
    if (id === undefined || id === '') return this.#byName.first(name);
    // A client may have generated ids for calls that came without one.
    return this.#givenById.first(id) ?? this.#withoutIdByName.first(name);
  }
}

/** Calls in order under a key. A call has several keys, so a call with a result is skipped, not removed. */
class CallQueues {
  readonly #queues = new Map<string, { readonly calls: Call[]; first: number }>();

  add(key: string, call: Call): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { calls: [call], first: 0 });
    else queue.calls.push(call);
  }

  has(key: string): boolean {
    return this.#queues.has(key);
  }

  /** The first one without a result. */
  first(key: string): Call | undefined {
    const queue = this.#queues.get(key);
    if (queue === undefined) return undefined;
    while (queue.calls[queue.first]?.isAnswered === true) queue.first++;
    return queue.calls[queue.first];
  }
}
