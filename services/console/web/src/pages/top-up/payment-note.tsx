import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CrossIcon } from '../../components/icons.tsx';
import { ErrorNote, Note } from '../../components/note.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { paidMoney } from '../../format/money.ts';
import { failureText } from './failure-text.ts';
import type { FollowedPayment } from './follow-payment.ts';
import type { Payment } from './payment-text.ts';
import { requestOf } from './way-back.ts';

interface PaymentNoteProps {
  followed: FollowedPayment;
  /** The person came back without paying. */
  isCancelled: boolean;
  onClose: () => void;
}

/** What became of the payment from which the person comes back. */
export function PaymentNote({ followed, isCancelled, onClose }: PaymentNoteProps) {
  const { data: payment, isError, error, refetch } = followed.read;
  return (
    <div aria-live="polite">
      {payment === undefined ? (
        isError ? (
          <ErrorNote title="The payment could not be loaded." error={error} onRetry={refetch} />
        ) : (
          <SkeletonBlock height={66} />
        )
      ) : isCancelled && payment.state !== 'settled' ? (
        <Note title="Nothing was paid" action={<CloseButton onClose={onClose} />}>
          The payment of {paidMoney(payment.amount)} was cancelled.
          {payment.failure !== null && ` ${failureText(payment.failure)}`}
        </Note>
      ) : (
        <Outcome payment={payment} followed={followed} onClose={onClose} />
      )}
    </div>
  );
}

interface OutcomeProps {
  payment: Payment;
  followed: FollowedPayment;
  onClose: () => void;
}

function Outcome({ payment, followed: { isLate, onLookAgain }, onClose }: OutcomeProps) {
  const { href, may } = useAccount();
  const close = <CloseButton onClose={onClose} />;
  switch (payment.state) {
    case 'settled':
      return (
        <Note tone="good" title={`${paidMoney(payment.credited)} was credited`} action={close}>
          <WayBack paymentId={payment.payment_id} href={href}>
            The balance above includes it.
          </WayBack>
        </Note>
      );
    case 'pending':
      return (
        <Note
          title="Waiting for the payment provider"
          action={
            <span className="row">
              {payment.checkout_url !== null && may('operator', 'owner', 'billing') && (
                <ButtonLink href={payment.checkout_url} elsewhere>
                  Back to the checkout
                </ButtonLink>
              )}
              {isLate && <Button onPress={onLookAgain}>Look again</Button>}
              {close}
            </span>
          }
        >
          {isLate
            ? `The payment of ${paidMoney(payment.amount)} takes longer than usual. Once it is confirmed, its credit appears by itself, also when this page is closed.`
            : `The payment of ${paidMoney(payment.amount)} is credited as soon as it is confirmed. This page shows it.`}
        </Note>
      );
    case 'failed':
      return (
        <Note tone="bad" title={`The payment of ${paidMoney(payment.amount)} failed`} action={close}>
          {failureText(payment.failure)} Nothing was credited. You can try again below.
        </Note>
      );
    default:
      return payment.state satisfies never;
  }
}

interface WayBackProps {
  paymentId: string;
  href: (path: `/${string}`) => string;
  children: ReactNode;
}

/** The refused request that led here, if there was one. */
function WayBack({ paymentId, href, children }: WayBackProps) {
  const requestId = requestOf(paymentId);
  if (requestId === undefined) return children;
  return (
    <>
      {children} <Link href={href(`/requests/${requestId}`)}>Back to the request that was refused</Link>
    </>
  );
}

function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <Button look="quiet" size="small" aria-label="Close" onPress={onClose}>
      <CrossIcon />
    </Button>
  );
}
