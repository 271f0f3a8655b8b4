import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'neutral';

/** A status: a colour and a word. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles['badge']} data-tone={tone}>
      <span>{children}</span>
    </span>
  );
}
