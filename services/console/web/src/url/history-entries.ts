/**
 * What the entries of the browser's history keep while this document is open, so that Back and Forward show a page as it was
 * left: where it was scrolled to, and values of its own.
 */

/** Browsers keep about 50 entries. */
const MAX_ENTRIES = 50;

/** The parts of `window` that are used. */
export interface HistoryView {
  readonly scrollY: number;
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string): void };
}

interface Entry {
  scrollY: number;
  values: Map<string, unknown>;
}

export class HistoryEntries {
  readonly #view: HistoryView;
  readonly #entries = new Map<string, Entry>();
  /** Ids of an earlier document, which are in the history after a reload, must not be met again. */
  readonly #prefix: string;
  #count = 0;
  #current = '';

  constructor(view: HistoryView, prefix = String(performance.timeOrigin)) {
    this.#view = view;
    this.#prefix = prefix;
    this.#enter(this.#idInState() ?? this.#newId());
  }

  /** Another entry was added, or Back or Forward was pressed. Called before the new page is drawn. */
  moved(): void {
    this.#entry().scrollY = this.#view.scrollY;
    this.#enter(this.#idInState() ?? this.#newId());
  }

  /** The address of the entry was changed: filters of a list. */
  replaced(): void {
    this.#enter(this.#idInState() ?? this.#current);
  }

  /** Where the page of the current entry was scrolled to when it was left; 0 on the first visit. */
  get scrollY(): number {
    return this.#entry().scrollY;
  }

  read(name: string): unknown {
    return this.#entry().values.get(name);
  }

  keep(name: string, value: unknown): void {
    this.#entry().values.set(name, value);
  }

  #enter(id: string): void {
    const entry = this.#entries.get(id) ?? { scrollY: 0, values: new Map() };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    this.#current = id;
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    if (this.#idInState() !== id) this.#view.history.replaceState({ entry: id }, '');
  }

  #entry(): Entry {
    const entry = this.#entries.get(this.#current);
    if (entry === undefined) throw new Error('the current entry of the history is unknown');
    return entry;
  }

  #idInState(): string | undefined {
    const { state } = this.#view.history;
    if (typeof state !== 'object' || state === null || !('entry' in state)) return undefined;
    return typeof state.entry === 'string' ? state.entry : undefined;
  }

  #newId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }
}
