import { useSyncExternalStore } from 'react';

/** Calls that wait until the person has signed in again. */
let waiting: { promise: Promise<void>; resolve: () => void } | null = null;
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

/** Opens the sign-in dialog over the page. Resolves once the person has signed in. */
export function signInAgain(): Promise<void> {
  if (waiting === null) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { promise, resolve };
    notify();
  }
  return waiting.promise;
}

/** Closes the dialog and repeats the calls that wait. */
export function signedInAgain(): void {
  waiting?.resolve();
  waiting = null;
  notify();
}

/** Whether the session has ended and calls wait. */
export function isSignedOut(): boolean {
  return waiting !== null;
}

export function useSignedOut(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSignedOut);
}
