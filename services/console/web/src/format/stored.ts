import { useSyncExternalStore } from 'react';

/** A preference that stays in this browser. */
export interface Stored<T extends string> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function stored<T extends string>(name: string, values: readonly T[], standard: T): Stored<T> {
  const listeners = new Set<() => void>();
  let value = read();

  function read(): T {
    try {
      const text = localStorage.getItem(name);
      return values.find((allowed) => allowed === text) ?? standard;
    } catch {
      return standard;
    }
  }

  return {
    get: () => value,
    set(next) {
      value = next;
      try {
        localStorage.setItem(name, next);
      } catch {
        // Storage is blocked: the preference lasts until the page is closed.
      }
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStored<T extends string>(preference: Stored<T>): [T, (value: T) => void] {
  return [useSyncExternalStore(preference.subscribe, preference.get), preference.set];
}
