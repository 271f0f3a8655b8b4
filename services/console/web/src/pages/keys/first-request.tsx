import { useMemo } from 'react';
import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { plural } from '../../format/number.ts';
import { DAY } from '../../format/time.ts';
import styles from './keys.module.css';

const POLL_MS = 1_500;

/** Waits for the first request of a key, and shows it when it comes. */
export function FirstRequest({ keyId, since }: { keyId: string; since: string }) {
  const account = useAccount();
  const query = useMemo(() => {
    const start = Date.parse(since);
    // Clocks of a request's ingress and of the database may differ a little.
    return {
      key_id: keyId,
      limit: 1,
      start: new Date(start - 60_000).toISOString(),
      end: new Date(start + DAY).toISOString(),
    };
  }, [keyId, since]);
  const requests = useRead(
    'GET /accounts/{account_id}/requests',
    { path: { account_id: account.accountId }, query },
    { refetchInterval: POLL_MS },
  );
  const first = requests.data?.data[0];
  return (
    <div className={styles['waiting']} role="status">
      {first === undefined ? (
        <span className="muted">Waiting for the first request…</span>
      ) : (
        <>
          <span className="strong">
            {first.status === 'refused' ? 'The first request was refused' : 'The first request has arrived'}
          </span>
          <span>{first.model}</span>
          <span>{first.status === 'refused' ? first.reason_label : plural(first.tokens, 'token')}</span>
          {first.status !== 'refused' && <Money value={first.cost} exact />}
          <Link href={account.href(`/requests/${first.request_id}`)}>Open</Link>
        </>
      )}
    </div>
  );
}
