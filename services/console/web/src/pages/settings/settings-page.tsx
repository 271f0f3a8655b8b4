import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { useConfig } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/note.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { DiscountForm } from './discount-form.tsx';
import { LimitsForm } from './limits-form.tsx';
import { NameForm } from './name-form.tsx';
import { PaymentLimitsSection } from './payment-limits.tsx';
import { PriceRulesForm } from './price-rules-form.tsx';
import { Suspension } from './suspension.tsx';

export type Account = Output<'GET /accounts/{account_id}'>;

/** Settings of the account. Limits, discount and suspension are for operators; others see them. */
export function SettingsPage() {
  const { accountId } = useAccount();
  const account = useRead('GET /accounts/{account_id}', { path: { account_id: accountId } });
  return (
    <Page title="Settings">
      {account.isError && account.data === undefined && (
        <ErrorNote title="The settings could not be loaded." error={account.error} onRetry={account.refetch} />
      )}
      {account.isPending && <SkeletonBlock height={320} />}
      {account.data !== undefined && <Settings account={account.data} />}
    </Page>
  );
}

function Settings({ account }: { account: Account }) {
  const { may, is } = useAccount();
  const isOperator = may('operator');
  const hasPayments = useConfig()?.payments === true;
  return (
    <>
      <Facts
        facts={[
          {
            label: 'Status',
            value:
              account.status === 'active' ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>,
          },
          {
            label: 'Account id',
            value: (
              <span className="row">
                <code>{account.account_id}</code>
                <CopyButton text={account.account_id} what="account id" />
              </span>
            ),
          },
          { label: 'Created', value: <Time value={account.created_at} exact /> },
          ...(may('operator', 'owner') ? [] : [{ label: 'Name', value: account.name }]),
        ]}
      />
      {may('operator', 'owner') && (
        <Section title="Name">
          <NameForm account={account} />
        </Section>
      )}
      <Section
        title="Limits"
        about={
          isOperator
            ? 'Of all keys of the account together.'
            : 'Of all keys of the account together. Operators set them.'
        }
      >
        {isOperator ? <LimitsForm account={account} /> : <Limits limits={account.limits} />}
      </Section>
      {is('operator') && (
        <Section
          title="Prices of its own"
          about="What its models cost compared to list prices; the first rule for a model applies. Only operators see the rules."
        >
          <PriceRulesForm account={account} />
        </Section>
      )}
      <Section title="Discount" about={isOperator ? 'Percent off the prices of all models.' : undefined}>
        {isOperator ? <DiscountForm account={account} /> : <p>{discount(account.discount_percent)}</p>}
      </Section>
      {is('operator') && hasPayments && <PaymentLimitsSection />}
      {(is('operator') || account.status === 'suspended') && (
        <Section title="Suspension">
          <Suspension account={account} />
        </Section>
      )}
    </>
  );
}

function discount(percent: string): string {
  return Number(percent) === 0 ? 'None: requests cost the list price.' : `${percent}% off the list price.`;
}

function Limits({ limits }: { limits: Account['limits'] }) {
  const shown = (limit: number | null) => (limit === null ? 'No limit' : count(limit));
  return (
    <Facts
      facts={[
        { label: 'Requests per minute', value: shown(limits.requests_per_minute) },
        { label: 'Tokens per minute', value: shown(limits.tokens_per_minute) },
        { label: 'Open requests', value: shown(limits.open_requests) },
      ]}
    />
  );
}
