import { useCallback, useState } from 'react';
import { HistoryEntries } from './history-entries.ts';

let known: HistoryEntries | undefined;

function entries(): HistoryEntries {
  known ??= new HistoryEntries(window);
  return known;
}

/** Follows the history. Called before the app is drawn, so that it learns of a move before the page changes. */
export function watchHistory(): void {
  history.scrollRestoration = 'manual';
  entries();
  // wouter dispatches the first two.
  window.addEventListener('pushState', () => entries().moved());
  window.addEventListener('replaceState', () => entries().replaced());
  window.addEventListener('popstate', () => entries().moved());
}

/** Where the page was scrolled to when it was left; 0 on the first visit. */
export function placeLeft(): number {
  return entries().scrollY;
}

/** A value that Back restores; undefined on the first visit. Each caller knows the type of its name. */
export function readKept<T>(name: string): T | undefined {
  return entries().read(name) as T | undefined;
}

export function keep(name: string, value: unknown): void {
  entries().keep(name, value);
}

/** A state that Back and Forward restore. */
export function useKept<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const kept = readKept<T>(name) ?? initial;
    keep(name, kept);
    return kept;
  });
  const set = useCallback(
    (next: T) => {
      keep(name, next);
      setValue(next);
    },
    [name],
  );
  return [value, set];
}

const WAIT_MS = 5_000;
const TAKES_OVER = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Scrolls to a place: at once, or when the page has become long enough, unless the person scrolls before. */
export function scrollToPlace(top: number): () => void {
  const tryNow = () => {
    window.scrollTo(0, top);
    if (Math.abs(window.scrollY - top) <= 1) stop();
  };
  const observer = new ResizeObserver(tryNow);
  const timer = setTimeout(stop, WAIT_MS);
  function stop(): void {
    observer.disconnect();
    clearTimeout(timer);
    for (const event of TAKES_OVER) window.removeEventListener(event, stop);
  }
  for (const event of TAKES_OVER) window.addEventListener(event, stop, { passive: true });
  observer.observe(document.body);
  tryNow();
  return stop;
}
