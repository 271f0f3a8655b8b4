import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { Findings } from './findings.tsx';
import { Ingresses } from './ingresses.tsx';
import { Losses } from './losses.tsx';
import { Quarantine } from './quarantine.tsx';

export type LedgerStatus = Output<'GET /operator/ledger'>;

/** Whether the money adds up, and whether every ingress keeps up. */
export function LedgerPage() {
  const status = useRead('GET /operator/ledger', {}, { refetchInterval: 5_000 });
  return (
    <Page title="Ledger">
      {status.isError && status.data === undefined && (
        <ErrorNote title="The state of the ledger could not be loaded." error={status.error} onRetry={status.refetch} />
      )}
      {status.isPending && <SkeletonBlock height={320} />}
      {status.data !== undefined && <Status status={status.data} />}
    </Page>
  );
}

function Status({ status }: { status: LedgerStatus }) {
  return (
    <>
      <Facts
        facts={[
          { label: 'Balances of all accounts', figure: <Money value={status.balance} exact /> },
          { label: 'Leased to ingresses', figure: <Money value={status.leased} exact /> },
          { label: 'Owed by accounts', figure: <Money value={status.owed} exact /> },
          { label: 'Revenue', figure: <Money value={status.revenue} exact /> },
          { label: 'Loss', figure: <Money value={status.loss} exact /> },
          { label: 'Quarantined charges', figure: <Alarm number={status.quarantined} /> },
          { label: 'Findings', figure: <Alarm number={status.findings_total} /> },
          { label: 'Requests with unknown keys, 24 h', figure: count(status.unknown_keys) },
        ]}
      />
      <Section title="Ingresses" about="How far each is behind, and what it has not yet settled.">
        <Ingresses ingresses={status.ingresses} />
      </Section>
      <Section title="Quarantine" about="Charges that could not be posted. Fix the cause, then post them again.">
        <Quarantine />
      </Section>
      <Section
        title="Reconciliation"
        about={
          status.reconciled_until === null ? (
            'Has not run yet.'
          ) : (
            <>
              Complete up to <Time value={status.reconciled_until} exact />.
            </>
          )
        }
      >
        <Findings findings={status.findings} total={status.findings_total} />
      </Section>
      <Section title="Loss by account" about="Charges beyond what an account could pay, which the operator bears.">
        <Losses losses={status.losses} />
      </Section>
    </>
  );
}

function Alarm({ number }: { number: number }) {
  return number === 0 ? '0' : <Badge tone="bad">{count(number)}</Badge>;
}
