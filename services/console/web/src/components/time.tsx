import { useNow } from '../format/now.ts';
import { endTime, exactTime, relativeTime } from '../format/time.ts';
import { useZone } from '../format/zone.ts';

/** A moment: relative to now, with the exact time and its zone on hover; or exact. */
export function Time({ value, exact = false }: { value: string; exact?: boolean }) {
  const [zone] = useZone();
  const all = exactTime(value, zone);
  if (exact) return <time dateTime={value}>{all}</time>;
  return (
    <time dateTime={value} data-tip={all}>
      <Relative value={value} />
    </time>
  );
}

/** When something ends, such that its last day is read right. */
export function EndTime({ value }: { value: string }) {
  const [zone] = useZone();
  return (
    <time dateTime={value} data-tip={exactTime(value, zone)}>
      {endTime(value, zone)}
    </time>
  );
}

function Relative({ value }: { value: string }) {
  const [zone] = useZone();
  return relativeTime(value, useNow(), zone);
}
