import { useMemo } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { ErrorNote } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { useZone } from '../../format/zone.ts';
import { useRecent } from '../../url/range.ts';
import { UsageOverTime } from '../overview/usage-over-time.tsx';
import { bucketsOf } from '../overview/usage-series.ts';

/** What a key has spent in the last 30 days, by day and model. */
export function KeySpend({ keyId }: { keyId: string }) {
  const { accountId } = useAccount();
  const [zone] = useZone();
  const range = useRecent('30d');
  const buckets = useMemo(() => bucketsOf(range, zone), [range, zone]);
  const usage = useRead(
    'GET /accounts/{account_id}/usage',
    {
      path: { account_id: accountId },
      query: { ...range.query, interval: buckets.interval, group_by: 'model', key_id: keyId },
    },
    { keepPrevious: true },
  );
  if (usage.data !== undefined)
    return (
      <UsageOverTime usage={usage.data.data} range={usage.data.range} buckets={buckets} about={`${range.label}.`} />
    );
  return (
    <Section title="Spend by day and model" about={`${range.label}.`}>
      {usage.isError ? (
        <ErrorNote title="The spend of the key could not be loaded." error={usage.error} onRetry={usage.refetch} />
      ) : (
        <SkeletonBlock height={260} />
      )}
    </Section>
  );
}
