import { useMemo } from 'react';
import { useParams } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { rowsOf, useList, useRead, useWholeList } from '../../api/queries.ts';
import { Money } from '../../components/money.tsx';
import { ErrorNote, MoreFailed } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Table } from '../../components/table/table.tsx';
import { parseMoney } from '../../format/money.ts';
import { day, longMonth } from '../../format/time.ts';
import { CREDIT_COLUMNS, DAY_COLUMNS, EXPIRY_COLUMNS, MODEL_COLUMNS, PART_COLUMNS, type Part } from './columns.tsx';
import { Downloads } from './downloads.tsx';
import { type Line, sumByModel } from './sums.ts';

const LINES = 'GET /accounts/{account_id}/statements/{month}/lines';
type Statement = Output<'GET /accounts/{account_id}/statements/{month}'>;

/** One statement: what it adds up to, and its lines. */
export function StatementPage() {
  const { accountId } = useAccount();
  const { month = '' } = useParams<{ month: string }>();
  const path = { account_id: accountId, month };
  const statement = useRead('GET /accounts/{account_id}/statements/{month}', { path });
  return (
    <Page
      title={/^\d{4}-\d\d$/.test(month) ? `Statement of ${longMonth(month)}` : 'Statement'}
      about={statement.data && `Issued ${day(statement.data.issued_at, 'utc')}. Days are in UTC.`}
      actions={statement.data && <Downloads accountId={accountId} month={month} />}
    >
      {statement.data !== undefined ? (
        <>
          <Summary statement={statement.data} />
          <Lines month={month} />
        </>
      ) : statement.isError ? (
        <ErrorNote title="The statement could not be loaded." error={statement.error} onRetry={statement.refetch} />
      ) : (
        <SkeletonBlock height={320} />
      )}
    </Page>
  );
}

function Summary({ statement }: { statement: Statement }) {
  const { opening, deposits, charges, closing } = statement;
  return (
    <>
      <Facts
        facts={[
          { label: 'Opening balance', figure: <Money value={opening} /> },
          { label: 'Payments', figure: <Money value={deposits} /> },
          { label: 'Charges', figure: <Money value={charges} /> },
          { label: 'Closing balance', figure: <Money value={closing} /> },
        ]}
      />
      <Section title="Summary">
        <Table label="Summary" columns={PART_COLUMNS} rows={partsOf(statement)} rowId={({ label }) => label} />
      </Section>
    </>
  );
}

/** What the closing balance is the sum of, and it. What did not occur is left out. */
function partsOf({ opening, closing, ...changes }: Statement): Part[] {
  const parts = [
    { label: 'Payments', amount: changes.deposits },
    { label: 'Refunds', amount: changes.refunds },
    { label: 'Disputes', amount: changes.disputes },
    { label: 'Adjustments and grants', amount: changes.adjustments },
    { label: 'Charges', amount: changes.charges },
    { label: 'Expired credit', amount: changes.expired },
  ].filter(({ amount }) => parseMoney(amount) !== 0n);
  return [{ label: 'Opening balance', amount: opening }, ...parts, { label: 'Closing balance', amount: closing }];
}

function Lines({ month }: { month: string }) {
  const { accountId } = useAccount();
  const list = useList(LINES, { path: { account_id: accountId, month }, query: { limit: 1_000 } });
  const isLoading = useWholeList(list, true);
  const data = list.data;
  const lines = useMemo(() => (isLoading ? undefined : rowsOf<typeof LINES>(data)), [isLoading, data]);
  const models = useMemo(() => lines && sumByModel(lines), [lines]);
  if (list.isError && lines === undefined)
    return <ErrorNote title="The lines could not be loaded." error={list.error} onRetry={list.refetch} />;
  if (lines === undefined || models === undefined) return <SkeletonBlock height={240} />;
  const credits = lines.filter(({ kind }) => kind !== 'charges' && kind !== 'expiry');
  const charges = lines.filter(({ kind }) => kind === 'charges');
  const expiries = lines.filter(({ kind }) => kind === 'expiry');
  return (
    <>
      {credits.length > 0 && (
        <Section title="Payments and other credits and debits">
          <Table label="Credits and debits" columns={CREDIT_COLUMNS} rows={credits} rowId={idOf} />
        </Section>
      )}
      {models.length > 0 && (
        <>
          <Section title="Charges by model">
            <Table label="Charges by model" columns={MODEL_COLUMNS} rows={models} rowId={({ model }) => model} />
          </Section>
          <Section title="Charges by day and model">
            <Table label="Charges by day and model" columns={DAY_COLUMNS} rows={charges} rowId={idOf} />
          </Section>
        </>
      )}
      {expiries.length > 0 && (
        <Section title="Expired credit">
          <Table label="Expired credit" columns={EXPIRY_COLUMNS} rows={expiries} rowId={idOf} />
        </Section>
      )}
      <MoreFailed what="More lines" list={list} />
    </>
  );
}

function idOf({ kind, at, reference, model }: Line): string {
  return `${kind} ${at} ${reference ?? model ?? ''}`;
}
