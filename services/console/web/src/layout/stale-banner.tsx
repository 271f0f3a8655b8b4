import { useStaleSince } from '../api/staleness.ts';
import { timeOfDay } from '../format/time.ts';
import { useZone } from '../format/zone.ts';
import styles from './shell.module.css';

/** Says from when the figures on the page are, while they cannot be read again. */
export function StaleBanner() {
  const since = useStaleSince();
  const [zone] = useZone();
  if (since === null) return null;
  return (
    <div className={styles['banner']} role="status">
      <span>
        {navigator.onLine === false ? 'You are offline.' : 'A part of Tollgate does not respond.'} Figures are{' '}
        <span className="strong">as of {timeOfDay(new Date(since), zone)}</span>. They are read again every few seconds.
      </span>
    </div>
  );
}
