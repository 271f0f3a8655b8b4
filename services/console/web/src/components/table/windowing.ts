import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { PHONE } from './use-width.ts';

/** Rows drawn above and below the window. */
const MARGIN_ROWS = 20;
/** Lists up to this length are drawn whole. */
const MIN_WINDOWED = 150;

interface VisibleRows {
  first: number;
  /** Exclusive. */
  last: number;
  /** Heights of what is not drawn. */
  before: number;
  after: number;
  /** Scrolls a row into view. */
  reveal(index: number): void;
}

/** Which rows of a long list are near the window. All rows have the same height: `--row`, or `--row-phone` on phones. */
export function useVisibleRows(body: RefObject<HTMLElement | null>, total: number): VisibleRows {
  const [range, setRange] = useState({ first: 0, last: MIN_WINDOWED, rowHeight: 32 });
  const isWindowed = total > MIN_WINDOWED;

  useLayoutEffect(() => {
    if (!isWindowed) return;
    const measure = () => {
      if (body.current === null) return;
      const rowHeight = heightOfRows(body.current);
      const top = -body.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN_ROWS);
      const last = Math.min(total, Math.ceil((top + window.innerHeight) / rowHeight) + MARGIN_ROWS);
      // Moves in steps, so that not every pixel of scrolling draws the table.
      setRange((before) =>
        before.rowHeight === rowHeight && Math.abs(before.first - first) < 5 && Math.abs(before.last - last) < 5
          ? before
          : { first, last, rowHeight },
      );
    };
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [body, total, isWindowed]);

  const first = isWindowed ? Math.min(range.first, total) : 0;
  const last = isWindowed ? Math.min(Math.max(range.last, first), total) : total;
  return {
    first,
    last,
    before: first * range.rowHeight,
    after: (total - last) * range.rowHeight,
    reveal: (index) => reveal(body.current, index),
  };
}

function heightOfRows(body: HTMLElement): number {
  const name = window.matchMedia(PHONE).matches ? '--row-phone' : '--row';
  return Number.parseInt(getComputedStyle(body).getPropertyValue(name), 10);
}

function reveal(body: HTMLElement | null, index: number): void {
  if (body === null) return;
  const rowHeight = heightOfRows(body);
  const top = body.getBoundingClientRect().top + index * rowHeight;
  // Below the header of the page and the head of the table, which stay.
  const above = 96;
  if (top < above) window.scrollBy({ top: top - above });
  else if (top + rowHeight > window.innerHeight) window.scrollBy({ top: top + rowHeight - window.innerHeight + 8 });
}

/** Calls `onEnd` when the element comes within two windows of the visible part. */
export function useEnd(onEnd: (() => unknown) | undefined): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(onEnd);
  latest.current = onEnd;
  const isActive = onEnd !== undefined;
  useEffect(() => {
    if (!isActive || end.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && latest.current?.(),
      { rootMargin: '200% 0px' },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  });
  return end;
}
