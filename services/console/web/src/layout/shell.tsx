import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../api/session.ts';
import { pageOf } from '../routes.tsx';
import { placeLeft, scrollToPlace } from '../url/history.ts';
import { Header } from './header.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { isTyping } from './shortcuts.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { ViewAsBanner } from './view-as-banner.tsx';

/** What surrounds each page: rail, header, palette, shortcuts. */
export function Shell({ children }: { children: ReactNode }) {
  const session = useSession();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useNewPage(main);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setPalette(true);
      } else if (event.key === '?' && !isTyping(event.target)) {
        setHelp(true);
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <div className={styles['shell']}>
      <a href="#main" className={styles['skip']}>
        Skip to the page
      </a>
      <nav className={styles['rail']} aria-label="Pages">
        <Rail />
      </nav>
      <div className={styles['column']}>
        {session.view_as !== null && <ViewAsBanner viewAs={session.view_as} />}
        <StaleBanner />
        <Header onSearch={() => setPalette(true)} onHelp={() => setHelp(true)} />
        <main id="main" ref={main} tabIndex={-1} className={styles['main']}>
          {children}
        </main>
      </div>
      <Palette isOpen={palette} onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />
      <ShortcutHelp isOpen={help} onClose={() => setHelp(false)} />
      <SignInAgain />
    </div>
  );
}

/** The page that is shown; null before the first one. */
let shown: string | null = null;

/** A new page starts at its top, and screen readers and the keyboard start in it. Back returns to the place that was left. */
function useNewPage(main: RefObject<HTMLElement | null>): void {
  const [path] = useLocation();
  const page = pageOf(path);
  useLayoutEffect(() => {
    const isFirst = shown === null;
    if (shown === page) return;
    shown = page;
    if (isFirst) return;
    main.current?.focus({ preventScroll: true });
    return scrollToPlace(placeLeft());
  }, [page, main]);
}
