import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import forms from '../../components/forms.module.css';
import { Money } from '../../components/money.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Facts, Section } from '../../components/page.tsx';
import { Time } from '../../components/time.tsx';
import { paidMoney, parseMoney } from '../../format/money.ts';
import { ClearFailedCardsDialog, DailyLimitDialog } from './payment-limits-dialogs.tsx';

export type PaymentLimits = Output<'GET /accounts/{account_id}/payment-limits'>;

/** What the account may pay in by card, how much of it is used and why, for operators. */
export function PaymentLimitsSection() {
  const { accountId } = useAccount();
  const limits = useRead('GET /accounts/{account_id}/payment-limits', { path: { account_id: accountId } });
  return (
    <Section title="Payments by card" about="Limits against stolen cards.">
      {limits.isError && limits.data === undefined && (
        <ErrorNote title="The limits of payments could not be loaded." error={limits.error} onRetry={limits.refetch} />
      )}
      {limits.data !== undefined && <Limits limits={limits.data} />}
    </Section>
  );
}

function Limits({ limits }: { limits: PaymentLimits }) {
  const [open, setOpen] = useState<'limit' | 'cards' | null>(null);
  const onClose = () => setOpen(null);
  return (
    <>
      {limits.refused_until !== null && (
        <Note tone="bad" title="No payment can be begun, because too many cards failed.">
          Until <Time value={limits.refused_until} exact />, or until you clear them.
        </Note>
      )}
      <Facts
        facts={[
          { label: 'May pay in within 24 hours', figure: <Money value={limits.daily_limit} /> },
          { label: 'Used', figure: <Money value={limits.used} /> },
          { label: 'Payments begun in the last hour', value: `${limits.begun_in_hour} of ${limits.max_begun_in_hour}` },
          { label: 'Cards that failed lately', value: `${limits.failed_cards} of ${limits.max_failed_cards}` },
        ]}
      />
      <p>{whyText(limits)}</p>
      <div className={forms['submit']}>
        <Button onPress={() => setOpen('limit')}>Change daily limit</Button>
        {limits.failed_cards > 0 && <Button onPress={() => setOpen('cards')}>Clear failed cards</Button>}
      </div>
      {open === 'limit' && <DailyLimitDialog limits={limits} onClose={onClose} />}
      {open === 'cards' && <ClearFailedCardsDialog onClose={onClose} />}
    </>
  );
}

function whyText({ own_limit, base, proven }: PaymentLimits): string {
  if (own_limit !== null) return 'An operator set the limit.';
  const paid = parseMoney(proven) === 0n ? 'nothing yet' : paidMoney(proven);
  return `Any account may pay in ${paidMoney(base)}. What it paid more than a week ago and did not get back is added: ${paid}.`;
}
