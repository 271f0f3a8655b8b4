import { Link, type LinkState } from '@tollgate/test-support/network/link';
import type { Disturbances } from './disturbances.ts';

/** All connections between ingresses, auths and Redis: a link for each pair, named `from>to`. */
export class Links {
  readonly #links = new Map<string, Link>();
  readonly #disturbances: Disturbances;

  constructor(disturbances: Disturbances) {
    this.#disturbances = disturbances;
  }

  /** Adds a link between two processes. @returns the address that one uses to reach the other */
  async route(from: string, to: string, address: string): Promise<string> {
    const link = await Link.open(`${from}>${to}`, address);
    this.#links.set(link.name, link);
    return link.address;
  }

  get names(): string[] {
    return [...this.#links.keys()];
  }

  get(name: string): Link {
    const link = this.#links.get(name);
    if (link === undefined) throw new Error(`there is no link ${name}; there are ${this.names.join(', ')}`);
    return link;
  }

  /** Disturbs links for a time, then repairs them. */
  async during<T>(
    names: readonly string[],
    state: Exclude<LinkState, { kind: 'open' }>,
    run: () => Promise<T>,
  ): Promise<T> {
    const ends = names.map((name) => this.#disturbances.begin(name, state.kind));
    for (const name of names) this.get(name).set(state);
    try {
      return await run();
    } finally {
      for (const name of names) this.get(name).set({ kind: 'open' });
      for (const end of ends) end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }
}
