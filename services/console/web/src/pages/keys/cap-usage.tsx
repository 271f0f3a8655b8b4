import { CapBar } from '../../components/bar.tsx';
import { Money } from '../../components/money.tsx';
import { Time } from '../../components/time.tsx';
import { type CapUsage, capSentence, periodName, tightestCap } from './caps.ts';
import styles from './keys.module.css';

const LABELS = { day: 'Daily cap', month: 'Monthly cap', total: 'Total cap' } as const;

/** In lists: what was spent this month, and the cap with the smallest part left. */
export function SpentCell({ spent, usages }: { spent: string; usages: readonly CapUsage[] }) {
  const cap = tightestCap(usages);
  if (cap === undefined) return <Money value={spent} />;
  return (
    <span className={styles['cap']}>
      <span data-tip={capSentence(cap)}>
        <Money value={cap.spent} /> <span className="muted">of</span> <Money value={cap.limit} />{' '}
        <span className="muted">{periodName(cap.period)}</span>
      </span>
      <CapBar label={LABELS[cap.period]} spent={cap.spent} held={cap.held} limit={cap.limit} />
    </span>
  );
}

/** Every cap of a key: spent, held, left, and when it resets. */
export function CapUsages({ usages }: { usages: readonly CapUsage[] }) {
  return (
    <div className={styles['caps']}>
      {usages.map((usage) => (
        <div key={usage.period} className={styles['cap']}>
          <span className="strong">{LABELS[usage.period]}</span>
          <CapBar label={LABELS[usage.period]} spent={usage.spent} held={usage.held} limit={usage.limit} />
          <span>
            <Money value={usage.spent} /> spent, <Money value={usage.held} /> held, <Money value={usage.left} /> left of{' '}
            <Money value={usage.limit} />
          </span>
          {usage.resets_at !== null && (
            <span className="muted small">
              Resets <Time value={usage.resets_at} />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
