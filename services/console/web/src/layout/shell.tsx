import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../api/session.ts';
import { useStale } from '../api/staleness.ts';
import { Header } from './header.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { isTyping } from './shortcuts.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { ViewAsBanner } from './view-as-banner.tsx';

/** What surrounds each page: rail, header, palette, shortcuts. */
export function Shell({ children }: { children: ReactNode }) {
  const session = useSession();
  const isStale = useStale();
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
        {isStale && (
          <div className={styles['banner']} role="status">
            The console does not respond. What you see may be out of date.
          </div>
        )}
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

/** A new page starts at its top, and screen readers and the keyboard start in it. Back keeps the place. */
function useNewPage(main: RefObject<HTMLElement | null>): void {
  const [path] = useLocation();
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path, main]);
}
