import { Money } from '../../components/money.tsx';
import { Facts } from '../../components/page.tsx';
import { addMoney } from '../../format/money.ts';
import { useNow } from '../../format/now.ts';
import { count } from '../../format/number.ts';
import { DAY } from '../../format/time.ts';
import type { AccountRow } from './accounts-page.tsx';
import { runsOutMs } from './columns.tsx';

interface SumsProps {
  rows: readonly AccountRow[];
  /** Whether these are all accounts that the search matches. */
  isComplete: boolean;
}

/** What the accounts of the list have and spend together. */
export function Sums({ rows, isComplete }: SumsProps) {
  const now = useNow();
  const sum = (field: 'available' | 'held' | 'owed' | 'spent_this_month' | 'loss') => (
    <Money value={addMoney(...rows.map((row) => row[field]))} />
  );
  const soon = rows.filter((row) => runsOutMs(row) < now + 7 * DAY).length;
  return (
    <>
      <Facts
        facts={[
          { label: 'Available', figure: sum('available') },
          { label: 'Held', figure: sum('held') },
          { label: 'Owed', figure: sum('owed') },
          { label: 'Spent this month', figure: sum('spent_this_month') },
          { label: 'Loss', figure: sum('loss') },
          { label: 'Run out within 7 days', figure: count(soon) },
        ]}
      />
      {!isComplete && <p className="muted small">Of the {count(rows.length)} accounts loaded so far.</p>}
    </>
  );
}
