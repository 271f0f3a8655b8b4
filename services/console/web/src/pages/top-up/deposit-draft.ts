import type { Input } from '../../api/client.ts';

export type NewDeposit = Input<'POST /accounts/{account_id}/deposits'>['body'];
export type Kind = NewDeposit['kind'];

export const KINDS: Readonly<Record<Kind, { label: string; help: string }>> = {
  deposit: { label: 'Deposit', help: 'Money that was paid in.' },
  adjustment: { label: 'Adjustment', help: 'Credit that you give, or take back with a minus sign.' },
  refund: { label: 'Refund', help: 'Money that was paid back to the customer: with a minus sign.' },
  dispute: {
    label: 'Dispute',
    help: 'A payment that its payer took back: with a minus sign. What exceeds the balance becomes a debt.',
  },
};

/** What the form holds: texts as they were typed. */
export interface DepositDraft {
  kind: Kind;
  amount: string;
  reason: string;
  /** Of credit: its kind; undefined: as usual. */
  lotKind: LotKind | undefined;
  /** Of credit: its last day, as yyyy-mm-dd; empty: it has no end. */
  lastDay: string;
}

export type LotKind = NonNullable<NewDeposit['lot_kind']>;

export const LOT_KINDS: Readonly<Record<LotKind, { label: string; help: string }>> = {
  paid: { label: 'Paid', help: 'It can be refunded.' },
  granted: { label: 'Granted', help: 'Given away, as by a promotion. It cannot be refunded.' },
  contractual: {
    label: 'Contractual',
    help: 'Agreed by contract, and invoiced otherwise. It cannot be refunded here.',
  },
};

/** What kind of credit it is unless the operator says otherwise. */
export function usualLotKind(kind: Kind): LotKind {
  return kind === 'adjustment' ? 'granted' : 'paid';
}

/** Whether the draft is of credit whose kind and end can be chosen. */
export function makesLot({ kind, amount }: DepositDraft): boolean {
  return (kind === 'deposit' || kind === 'adjustment') && !/^\s*[-−]/.test(amount);
}

const DAY_MS = 86_400_000;

/** What is wrong, by the names that the API gives fields. */
export type DepositErrors = Record<string, string>;

/** Reads a draft: what to send beside the idempotency key, or what is wrong by field. */
export function readDeposit(
  draft: DepositDraft,
  nowMs: number,
): { deposit: Omit<NewDeposit, 'idempotency_key'>; errors: null } | { deposit: null; errors: DepositErrors } {
  const errors: DepositErrors = {};
  const amount = draft.amount
    .trim()
    .replace(/^([-−]?)\$\s*/, '$1')
    .replace('−', '-')
    .replaceAll(',', '');
  const reason = draft.reason.trim();
  if (!/^-?\d{1,9}(\.\d{1,9})?$/.test(amount)) errors['amount'] = 'Enter an amount in dollars, such as 50 or 12.50.';
  else if (Number(amount) === 0) errors['amount'] = 'Enter an amount other than 0.';
  else if (draft.kind === 'deposit' && amount.startsWith('-')) {
    errors['amount'] = 'A deposit is positive. To take money back, choose adjustment, refund or dispute.';
  } else if (draft.kind === 'dispute' && !amount.startsWith('-')) {
    errors['amount'] = 'A dispute is negative. If it was won, enter a deposit.';
  }
  if (reason === '') errors['reason'] = 'Enter a reason. It is shown in the history and in the audit log.';
  else if (reason.length > 500) errors['reason'] = 'A reason has at most 500 characters.';
  const lot = makesLot(draft);
  // The end of that day, in UTC.
  const endMs = lot && draft.lastDay !== '' ? Date.parse(draft.lastDay) + DAY_MS : undefined;
  if (endMs !== undefined && !(endMs > nowMs)) errors['ends_at'] = 'Choose today or a later day.';
  if (Object.keys(errors).length > 0) return { deposit: null, errors };
  return {
    deposit: {
      kind: draft.kind,
      amount,
      reason,
      ...(lot && draft.lotKind !== undefined ? { lot_kind: draft.lotKind } : {}),
      ...(endMs === undefined ? {} : { ends_at: new Date(endMs).toISOString() }),
    },
    errors: null,
  };
}
