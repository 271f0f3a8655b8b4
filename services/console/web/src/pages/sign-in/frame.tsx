import type { ReactNode } from 'react';
import { useConfig } from '../../api/session.ts';
import { useTitle } from '../../components/page.tsx';
import styles from './sign-in.module.css';

/** Around the pages that need no session. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const config = useConfig();
  useTitle(title);
  return (
    <main className={styles['frame']}>
      <div className={styles['panel']}>
        <div>
          <p className={styles['brand']}>{config?.service_name ?? 'Tollgate'}</p>
          <h1>{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}
