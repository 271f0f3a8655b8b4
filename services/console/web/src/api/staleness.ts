import { useSyncExternalStore } from 'react';

/** Whether the console stopped responding while pages show what they loaded before. */
let isStale = false;
const listeners = new Set<() => void>();

export function setStale(next: boolean): void {
  if (next === isStale) return;
  isStale = next;
  for (const listener of listeners) listener();
}

export function useStale(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isStale,
  );
}
