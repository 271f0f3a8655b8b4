import { useAccount } from '../account/account-context.tsx';
import { useRead } from '../api/queries.ts';
import styles from './shell.module.css';

/** More are shown as `99+`. */
const MAX = 99;

/** How many limit requests wait for an answer, for who may give it. */
export function OpenLimitRequests() {
  const { accountId, may } = useAccount();
  const { data } = useRead(
    'GET /accounts/{account_id}/limit-requests',
    { path: { account_id: accountId }, query: { status: 'open', limit: MAX + 1 } },
    { enabled: may('operator', 'owner', 'admin'), refetchInterval: 60_000 },
  );
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return <span className={styles['count']}>{count > MAX ? `${MAX}+` : count}</span>;
}
