import { useAccount } from '../../account/account-context.tsx';
import { useSearchParams } from '../../url/search-params.ts';
import { AutomaticSection } from './automatic-section.tsx';
import { CardsDialog } from './cards-dialog.tsx';
import { type FollowedPayment, useFollowedPayment } from './follow-payment.ts';
import { PaySection } from './pay-section.tsx';
import { PaymentNote } from './payment-note.tsx';
import { PaymentsSection } from './payments-section.tsx';

/** The payment that the person comes back from, the form, and all payments. */
export function CardPayments({ requestId }: { requestId: string | undefined }) {
  const { may } = useAccount();
  const [params, setParams] = useSearchParams();
  const mayPay = may('operator', 'owner', 'billing');
  const returned = params['payment'] ?? params['cancelled'];
  const isCancelled = params['payment'] === undefined;
  const pay = (initialAmount: string | null) =>
    mayPay && (
      <PaySection
        initialAmount={initialAmount}
        requestId={requestId}
        onPaid={(payment) => setParams({ payment, cancelled: undefined })}
        onCards={() => setParams({ cards: '1' })}
      />
    );
  return (
    <>
      {returned === undefined ? (
        pay(null)
      ) : (
        <Returned
          key={returned}
          paymentId={returned}
          isCancelled={isCancelled}
          onClose={() => setParams({ payment: undefined, cancelled: undefined })}
          pay={pay}
        />
      )}
      {mayPay && <AutomaticSection />}
      <PaymentsSection />
      {params['cards'] === '1' && mayPay && <CardsDialog onClose={() => setParams({ cards: undefined })} />}
    </>
  );
}

interface ReturnedProps {
  paymentId: string;
  isCancelled: boolean;
  onClose: () => void;
  /** The form, with an amount to start from. */
  pay: (initialAmount: string | null) => React.ReactNode;
}

function Returned({ paymentId, isCancelled, onClose, pay }: ReturnedProps) {
  const followed = useFollowedPayment(paymentId, !isCancelled);
  return (
    <>
      <PaymentNote followed={followed} isCancelled={isCancelled} onClose={onClose} />
      {!isWaitedFor(followed, isCancelled) && pay(amountToTry(followed, isCancelled))}
    </>
  );
}

/** Paying once more, while the page waits for the first payment, is rarely meant. */
function isWaitedFor({ read }: FollowedPayment, isCancelled: boolean): boolean {
  return read.data === undefined ? !read.isError : read.data.state === 'pending' && !isCancelled;
}

function amountToTry({ read: { data } }: FollowedPayment, isCancelled: boolean): string | null {
  if (data === undefined) return null;
  return data.state === 'failed' || (isCancelled && data.state !== 'settled') ? data.amount : null;
}
