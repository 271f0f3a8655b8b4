import type { ReactNode } from 'react';
import { useTitle } from '../../components/page.tsx';
import styles from './sign-in.module.css';

/** Around the pages that need no session. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={styles['frame']}>
      <div className={styles['panel']}>
        <div>
          <p className={styles['brand']}>Tollgate</p>
          <h1>{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
