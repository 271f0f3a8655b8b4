import { Badge } from '../../components/badge.tsx';
import { CapBar } from '../../components/bar.tsx';
import { Money } from '../../components/money.tsx';
import { Time } from '../../components/time.tsx';
import { percent } from '../../format/number.ts';
import { exactTime, minute } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import { type CapUsage, capLabel, capSentence, periodName, setterLabel, shareOfCap, tightestCap } from './caps.ts';
import styles from './keys.module.css';

/** In lists: how much of the cap with the smallest part left is used. */
export function CapCell({ usages }: { usages: readonly CapUsage[] }) {
  const cap = tightestCap(usages);
  if (cap === undefined) return <span className="muted">None</span>;
  return (
    <span className={styles['cap']}>
      <span data-tip={capSentence(cap)}>
        {percent(shareOfCap(usages) ?? 0)} <span className="muted">of</span> <Money value={cap.limit} />{' '}
        <span className="muted">{periodName(cap.period)}</span>
      </span>
      <CapBar label={capLabel(cap.period)} spent={cap.spent} held={cap.held} limit={cap.limit} />
    </span>
  );
}

function Amounts({ usage: { spent, held, left, limit } }: { usage: CapUsage }) {
  const beside = [spent, held, left, limit];
  return (
    <span>
      <Money value={spent} beside={beside} /> spent, <Money value={held} beside={beside} /> held,{' '}
      <Money value={left} beside={beside} /> left of <Money value={limit} beside={beside} />
    </span>
  );
}

/** When a cap is reached at the pace of its period so far. */
export function Reached({ at }: { at: string }) {
  const [zone] = useZone();
  return (
    <time dateTime={at} data-tip={exactTime(at, zone)}>
      <Badge tone="warn">{minute(at, zone)}</Badge>
    </time>
  );
}

/** Every cap in force of a key: spent, held, left, when it resets and what set it. */
export function CapUsages({ usages }: { usages: readonly CapUsage[] }) {
  return (
    <div className={styles['caps']}>
      {usages.map((usage) => (
        <div key={usage.period} className={styles['cap']}>
          <span className="strong">{capLabel(usage.period)}</span>
          <CapBar label={capLabel(usage.period)} spent={usage.spent} held={usage.held} limit={usage.limit} />
          <Amounts usage={usage} />
          <span className="muted small">
            {setterLabel(usage.set_by)}
            {usage.resets_at !== null && (
              <>
                {setterLabel(usage.set_by) === null ? 'Resets ' : ', resets '}
                <Time value={usage.resets_at} />
              </>
            )}
          </span>
          {usage.reached_at !== null && (
            <span className="small">
              At this pace it is reached on <Reached at={usage.reached_at} />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
