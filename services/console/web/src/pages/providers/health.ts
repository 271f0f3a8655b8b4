import type { Deployment } from './providers-page.tsx';

type Counts = Pick<Deployment, 'successes' | 'failures' | 'timeouts' | 'rate_limited' | 'credentials_refused'>;

export function failuresOf({ failures, timeouts, rate_limited, credentials_refused }: Counts): number {
  return failures + timeouts + rate_limited + credentials_refused;
}

/** `0%`, `<0.1%`, `2.4%`; a dash without requests. */
export function errorRate(counts: Counts): string {
  const failed = failuresOf(counts);
  const total = counts.successes + failed;
  if (total === 0) return '–';
  const percent = (100 * failed) / total;
  if (percent === 0) return '0%';
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}
