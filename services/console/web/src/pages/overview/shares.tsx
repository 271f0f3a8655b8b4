import type { ReactNode } from 'react';
import { ShareBar } from '../../components/bar.tsx';
import { Money } from '../../components/money.tsx';
import { Nothing } from '../../components/note.tsx';
import { shareOf } from '../../format/money.ts';
import { count, plural } from '../../format/number.ts';
import styles from './overview.module.css';

interface Share {
  id: string;
  label: ReactNode;
  cost: string;
  requests: number;
  tokens: number;
}

/** The most expensive first, each with a bar relative to the first. */
export function Shares({ rows }: { rows: readonly Share[] }) {
  const most = rows[0]?.cost ?? '0';
  if (rows.length === 0) return <Nothing>Nothing was spent in this range.</Nothing>;
  return (
    <ul className={styles['shares']}>
      {rows.map(({ id, label, cost, requests, tokens }) => (
        <li key={id} data-tip={`${plural(requests, 'request')}, ${count(tokens)} tokens`}>
          <span className={styles['name']}>{label}</span>
          <span className={styles['amount']}>
            <Money value={cost} />
          </span>
          <ShareBar share={shareOf(cost, most)} />
        </li>
      ))}
    </ul>
  );
}
