import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { useNow } from '../../format/now.ts';
import { count } from '../../format/number.ts';
import { useZone } from '../../format/zone.ts';
import { type Range, readRange } from '../../url/range.ts';
import { type RequestFilters, type RequestRow, toQuery } from './filters.ts';
import styles from './list.module.css';
import { countNew } from './new-rows.ts';

const POLL_MS = 5_000;
/** Of the newest requests that are compared with the list: as many as its first page has. */
const HEAD = 50;

interface NewRequestsProps {
  range: Range;
  filters: RequestFilters;
  rows: readonly RequestRow[];
  onShow: (range: Range) => void;
}

/** Counts requests that ended since the list was loaded. They show when the button is pressed. */
export function NewRequests({ range, filters, rows, onShow }: NewRequestsProps) {
  const { accountId } = useAccount();
  const [zone] = useZone();
  const now = useNow();
  const { preset } = range;
  const current = preset === null ? range : readRange({ range: preset }, preset, now, zone);
  const isDue = useIsDue();
  const head = useRead(
    'GET /accounts/{account_id}/requests',
    { path: { account_id: accountId }, query: { ...toQuery(current, filters), limit: HEAD } },
    { enabled: isDue && preset !== null, refetchInterval: POLL_MS, keepPrevious: true },
  );
  const { count: arrived, more } = countNew(rows, head.data?.data);
  return (
    <div className={styles['new']} role="status">
      {arrived > 0 && (
        <Button size="small" onPress={() => onShow(current)}>
          {`${count(arrived)}${more ? ' or more' : ''} new`}
        </Button>
      )}
    </div>
  );
}

/** Whether the list is old enough that there may be newer requests. */
function useIsDue(): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), POLL_MS);
    return () => clearTimeout(timer);
  }, []);
  return isDue;
}
