interface Call {
  readonly id: string;
  isAnswered: boolean;
}

/**
 * Ids for the function calls of a conversation. Google's are optional: calls without one get one by their place, and a
 * result without one answers the first call of its name that is not answered yet.
 */
export class CallIds {
  readonly #givenById = new OpenCalls();
  readonly #byName = new OpenCalls();
  readonly #withoutIdByName = new OpenCalls();
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

  #find(id: string | undefined, name: string): Call | undefined {
    if (id === undefined || id === '') return this.#byName.first(name);
    // A client may have made up ids for calls that came without one.
    return this.#givenById.first(id) ?? this.#withoutIdByName.first(name);
  }
}

/** Calls in their order under a key. A call stands under several, so one that is answered is skipped, not taken out. */
class OpenCalls {
  readonly #queues = new Map<string, { readonly calls: Call[]; first: number }>();

  add(key: string, call: Call): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { calls: [call], first: 0 });
    else queue.calls.push(call);
  }

  /** The first that is not answered. */
  first(key: string): Call | undefined {
    const queue = this.#queues.get(key);
    if (queue === undefined) return undefined;
    while (queue.calls[queue.first]?.isAnswered === true) queue.first++;
    return queue.calls[queue.first];
  }
}
