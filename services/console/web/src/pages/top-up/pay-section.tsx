import { useAccount } from '../../account/account-context.tsx';
import { useRead } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import forms from '../../components/forms.module.css';
import { ErrorNote, Note } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { isLimitReached, limitText, type PaymentOptions } from './pay-draft.ts';
import { PayForm } from './pay-form.tsx';

interface PaySectionProps {
  /** Of a payment that failed or was given up. */
  initialAmount: string | null;
  /** The refused request that led here. */
  requestId: string | undefined;
  onPaid: (paymentId: string) => void;
  onCards: () => void;
}

/** Paying in by card. */
export function PaySection({ onCards, ...form }: PaySectionProps) {
  const { accountId } = useAccount();
  const options = useRead('GET /accounts/{account_id}/payment-options', { path: { account_id: accountId } });
  return (
    <Section title="Pay by card" actions={<Button onPress={onCards}>Saved cards</Button>}>
      <div className={forms['narrow']}>
        {options.data !== undefined ? (
          <Payable options={options.data} {...form} />
        ) : options.isError ? (
          <ErrorNote title="Payments could not be loaded." error={options.error} onRetry={options.refetch} />
        ) : (
          <SkeletonBlock height={240} />
        )}
      </div>
    </Section>
  );
}

type PayableProps = Omit<PaySectionProps, 'onCards'> & { options: PaymentOptions };

function Payable({ options, ...form }: PayableProps) {
  return (
    <>
      {options.mode !== 'live' && (
        <Note tone="warn" title="No money moves">
          {options.mode === 'simulated'
            ? 'Payments are simulated at this gateway. The credit counts as if it had been paid.'
            : "Payments use the payment provider's test mode, which takes only its test cards. The credit counts as if it had been paid."}
        </Note>
      )}
      {isLimitReached(options) ? (
        <Note title="Nothing more can be paid in today">{limitText(options)}</Note>
      ) : (
        // A payment that is tried again fills in the form anew.
        <PayForm key={form.initialAmount} options={options} {...form} />
      )}
    </>
  );
}
