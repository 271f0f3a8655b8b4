import { useState } from 'react';
import { useAccount } from '../../account/account-context.tsx';
import { rowsOf, useList } from '../../api/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNote, MoreFailed, Nothing } from '../../components/note.tsx';
import { Section } from '../../components/page.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { paidMoney } from '../../format/money.ts';
import { type Payment, paymentLine, refundable } from './payment-text.ts';
import { RefundDialog } from './refund-dialog.tsx';

/** Payments and what became of them. Their credit is in the history. */
export function PaymentsSection() {
  const { accountId, may } = useAccount();
  const [refunding, setRefunding] = useState<Payment | null>(null);
  const list = useList('GET /accounts/{account_id}/payments', {
    path: { account_id: accountId },
    query: { limit: 10 },
  });
  const rows = rowsOf<'GET /accounts/{account_id}/payments'>(list.data);
  const left = refunding === null ? null : refundable(refunding);
  return (
    <Section title="Payments">
      {list.isError && rows === undefined ? (
        <ErrorNote title="The payments could not be loaded." error={list.error} onRetry={list.refetch} />
      ) : (
        <Table
          label="Payments"
          rows={rows}
          rowId={({ payment_id }) => payment_id}
          loadingMore={list.isFetchingNextPage}
          empty={<Nothing>Nothing was paid by card yet.</Nothing>}
          columns={columnsOf(may('operator', 'owner', 'billing'), may('operator') ? setRefunding : null)}
        />
      )}
      {/* Not by scrolling: the history is below. */}
      {list.hasNextPage && (
        <div>
          <Button pending={list.isFetchingNextPage && 'Loading'} onPress={() => void list.fetchNextPage()}>
            Older payments
          </Button>
        </div>
      )}
      <MoreFailed what="Older payments" list={list} />
      {refunding !== null && left !== null && (
        <RefundDialog payment={refunding} left={left} onClose={() => setRefunding(null)} />
      )}
    </Section>
  );
}

function columnsOf(mayPay: boolean, onRefund: ((payment: Payment) => void) | null): Column<Payment>[] {
  return [
    {
      id: 'time',
      title: 'Time',
      priority: 2,
      width: 120,
      phone: 'detail',
      cell: ({ created_at }) => <Time value={created_at} />,
    },
    {
      id: 'payment',
      title: 'Payment',
      width: 240,
      grow: 2,
      phone: 'title',
      cell: (payment) => <PaymentLine payment={payment} />,
    },
    { id: 'by', title: 'By', width: 144, grow: 1, priority: 4, cell: byText },
    {
      id: 'provider',
      title: 'Id at the provider',
      width: 232,
      priority: 5,
      cell: ({ provider_payment }) =>
        provider_payment !== null && <code data-tip={provider_payment}>{provider_payment}</code>,
    },
    {
      id: 'actions',
      title: 'Actions',
      hideTitle: true,
      priority: 0,
      width: 88,
      align: 'end',
      phone: 'end',
      cell: (payment) => <Action payment={payment} mayPay={mayPay} onRefund={onRefund} />,
    },
    {
      id: 'amount',
      title: 'Amount',
      priority: 1,
      width: 112,
      align: 'end',
      phone: 'value',
      cell: ({ state, amount, credited }) => <Money value={state === 'settled' ? credited : amount} />,
    },
  ];
}

/** Who began it: nobody did if it is automatic, and somebody may have confirmed it. */
function byText({ automatic, created_by }: Payment): string {
  return automatic && created_by !== 'automatic top-up' ? `${created_by}, for automatic top-up` : created_by;
}

function PaymentLine({ payment }: { payment: Payment }) {
  const { tone, text } = paymentLine(payment);
  if (tone === 'good') return text;
  return (
    <span data-tip={text}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

interface ActionProps {
  payment: Payment;
  mayPay: boolean;
  /** Null: the person may not. */
  onRefund: ((payment: Payment) => void) | null;
}

function Action({ payment, mayPay, onRefund }: ActionProps) {
  const checkoutUrl = payment.checkout_url;
  if (payment.state === 'pending' && checkoutUrl !== null && mayPay) {
    return (
      <Button
        look="quiet"
        size="small"
        aria-label={`Continue the payment of ${paidMoney(payment.amount)}`}
        onPress={() => window.location.assign(checkoutUrl)}
      >
        Continue
      </Button>
    );
  }
  if (onRefund === null || refundable(payment) === null) return null;
  return (
    <Button
      look="quiet"
      size="small"
      aria-label={`Refund the payment of ${paidMoney(payment.credited)}`}
      onPress={() => onRefund(payment)}
    >
      Refund
    </Button>
  );
}
