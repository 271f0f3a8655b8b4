import { Time } from '../../components/time.tsx';
import { parseMoney } from '../../format/money.ts';

interface LastUsedProps {
  usedAt: string | null;
  /** In this month. */
  spent: string;
}

/** When a key was last used. Ingresses report it every half minute: one that has spent was used just now. */
export function LastUsed({ usedAt, spent }: LastUsedProps) {
  if (usedAt !== null) return <Time value={usedAt} />;
  return parseMoney(spent) > 0n ? 'Just now' : <span className="muted">Never</span>;
}
