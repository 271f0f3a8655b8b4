import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'neutral';

/** A status: a word, with a mark in a colour for what is not well. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={styles['badge']} data-tone={tone}>
      <span>{children}</span>
    </span>
  );
}
