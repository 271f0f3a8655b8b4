import { type RefObject, useLayoutEffect, useRef } from 'react';

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

function rowElement(body: HTMLElement | null, rowId: string): HTMLElement | null {
  return body?.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"]`) ?? null;
}

/** The row of an event, by its id; null: the event is of something else in the body. */
export function rowOf(target: EventTarget): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null) : null;
}
