/**
 * Ids for the function calls of a conversation. Google's are optional: calls without one get one by their place, and a
 * result without one answers the first call of its name that is not answered yet.
 */
export class CallIds {
  readonly #open: { readonly id: string; readonly name: string; readonly isGiven: boolean }[] = [];
  #count = 0;

  called(id: string | undefined, name: string): string {
    const given = id === '' ? undefined : id;
    const call = { id: given ?? `call_${++this.#count}_of_${name}`, name, isGiven: given !== undefined };
    this.#open.push(call);
    return call.id;
  }

  /** Undefined when there is no such call. */
  answered(id: string | undefined, name: string): string | undefined {
    const byId = id === undefined || id === '' ? -1 : this.#open.findIndex((call) => call.isGiven && call.id === id);
    // A client may have made up ids for calls that came without one.
    const at = byId === -1 ? this.#open.findIndex((call) => call.name === name && (!call.isGiven || !id)) : byId;
    return at === -1 ? undefined : this.#open.splice(at, 1)[0]?.id;
  }
}
