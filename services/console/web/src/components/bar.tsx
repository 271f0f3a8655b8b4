import { shareOf, shortMoney } from '../format/money.ts';
import styles from './bar.module.css';

interface BarProps {
  /** What it shows, for screen readers: `Monthly cap`. */
  label: string;
  spent: string;
  held: string;
  limit: string;
}

/** How much of a spending cap is spent, held and left. Red from 95 percent, amber from 80: the words say it too. */
export function CapBar({ label, spent, held, limit }: BarProps) {
  const spentShare = shareOf(spent, limit);
  const heldShare = Math.min(1 - spentShare, shareOf(held, limit));
  const used = spentShare + heldShare;
  const shown = (amount: string) => shortMoney(amount, [spent, held, limit]);
  const text = `${shown(spent)} spent, ${shown(held)} held of ${shown(limit)}`;
  return (
    <span
      className={styles['bar']}
      role="img"
      aria-label={`${label}: ${text}`}
      data-tip={text}
      data-level={used >= 0.95 ? 'full' : used >= 0.8 ? 'high' : 'normal'}
    >
      <span className={styles['spent']} style={{ width: `${spentShare * 100}%` }} />
      <span className={styles['held']} style={{ width: `${heldShare * 100}%` }} />
    </span>
  );
}

/** A bar for lists such as models by spend: a share of the largest. */
export function ShareBar({ share }: { share: number }) {
  return (
    <span className={styles['bar']} data-plain="true" aria-hidden="true">
      <span className={styles['spent']} style={{ width: `${Math.max(share > 0 ? 1 : 0, share * 100)}%` }} />
    </span>
  );
}
