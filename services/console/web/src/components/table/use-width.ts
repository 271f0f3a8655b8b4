import { type RefCallback, useCallback, useState } from 'react';

/** Phones show each row as two lines, without columns. */
export const PHONE = '(width < 640px)';

/** The width that an element has for columns; null on a phone, and before its first layout. */
export function useColumnsWidth(): [number | null, RefCallback<HTMLElement>] {
  const [width, setWidth] = useState<number | null>(null);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const measure = () => setWidth(window.matchMedia(PHONE).matches ? null : element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [width, ref];
}
