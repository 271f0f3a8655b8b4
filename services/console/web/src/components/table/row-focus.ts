import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Moves the focus to a row, which may be drawn only once the list has scrolled to it. */
export function useRowFocus(body: RefObject<HTMLElement | null>): (rowId: string) => void {
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const row = rowElement(body.current, wanted.current);
    if (row === null) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  return (rowId) => {
    const row = rowElement(body.current, rowId);
    wanted.current = row === null ? rowId : null;
    row?.focus({ preventScroll: true });
  };
}

/** Longer than a dialog takes to close. */
const REFOCUS_MS = 600;

/**
 * When the current row is removed, the row that takes its place gets the focus, so that the keyboard stays in the table: at
 * once, or after the dialog that removed it has closed. Nothing is scrolled, and nothing else loses the focus.
 */
export function useRemovedRow(
  body: RefObject<HTMLElement | null>,
  current: string | null,
  positions: ReadonlyMap<string, number>,
): void {
  const last = useRef<{ id: string; index: number } | null>(null);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  useEffect(() => {
    const index = positions.get(current ?? '');
    if (current !== null && index !== undefined) {
      last.current = { id: current, index };
      return;
    }
    if (last.current === null || last.current.id !== current) return;
    const next = [...positions.keys()][Math.min(last.current.index, positions.size - 1)];
    last.current = null;
    if (next === undefined) return;
    const until = performance.now() + REFOCUS_MS;
    const tryNow = () => {
      if (document.activeElement === document.body) rowElement(body.current, next)?.focus({ preventScroll: true });
      else if (performance.now() < until) frame.current = requestAnimationFrame(tryNow);
    };
    frame.current = requestAnimationFrame(tryNow);
  }, [body, current, positions]);
}

function rowElement(body: HTMLElement | null, rowId: string): HTMLElement | null {
  return body?.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"]`) ?? null;
}

/** The row of an event, by its id; null: the event is of something else in the body. */
export function rowOf(target: EventTarget): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null) : null;
}
