import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import styles from './tip.module.css';

const DELAY_MS = 250;
const GAP = 6;

/**
 * Shows the `data-tip` of the element under the pointer, or of the focused one; of a cell whose text is cut off, the text.
 * One element for the whole page, because tables have thousands of amounts and times.
 */
export function TipLayer() {
  const tip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;

    const hide = () => {
      clearTimeout(timer);
      if (tip.current !== null) tip.current.hidden = true;
    };
    const show = (event: Event) => {
      hide();
      if (!(event.target instanceof HTMLElement)) return;
      const target = event.target.closest<HTMLElement>('[data-tip]') ?? cutOff(event.target);
      if (target === null) return;
      timer = setTimeout(() => {
        if (tip.current !== null && target.isConnected) place(tip.current, target);
      }, DELAY_MS);
    };
    const events = ['pointerdown', 'keydown', 'focusout'] as const;
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', show);
    document.addEventListener('scroll', hide, true);
    for (const event of events) document.addEventListener(event, hide);
    return () => {
      hide();
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', show);
      document.removeEventListener('scroll', hide, true);
      for (const event of events) document.removeEventListener(event, hide);
    };
  }, []);
  return createPortal(<div ref={tip} className={styles['tip']} role="tooltip" hidden />, document.body);
}

/** The part of a cell that the pointer is on, if its text is cut off. */
function cutOff(element: HTMLElement): HTMLElement | null {
  const cell = element.closest('td, th');
  if (cell === null) return null;
  for (let part: HTMLElement | null = element; part !== null; part = part.parentElement) {
    if (part.scrollWidth > part.clientWidth && part.clientWidth > 0) return part;
    if (part === cell) return null;
  }
  return null;
}

/** Above the target, or below if there is no room, inside the window. */
function place(tip: HTMLElement, target: HTMLElement): void {
  tip.textContent = target.dataset['tip'] ?? target.textContent;
  tip.hidden = false;
  const at = target.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const left = at.left + at.width / 2 - width / 2;
  const above = at.top - height - GAP;
  tip.style.left = `${Math.max(GAP, Math.min(left, document.documentElement.clientWidth - width - GAP))}px`;
  tip.style.top = `${above < GAP ? at.bottom + GAP : above}px`;
}
