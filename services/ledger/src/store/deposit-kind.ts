import { DepositKind } from '@tollgate/proto/ledger';

/** Labels of the SQL type ledger.deposit_kind. */
export type DepositKindLabel = 'deposit' | 'adjustment' | 'refund' | 'dispute';

/** The SQL label of a kind; undefined for UNSPECIFIED. */
export function depositKindLabel(kind: DepositKind): DepositKindLabel | undefined {
  switch (kind) {
    case DepositKind.UNSPECIFIED:
      return undefined;
    case DepositKind.DEPOSIT:
      return 'deposit';
    case DepositKind.ADJUSTMENT:
      return 'adjustment';
    case DepositKind.REFUND:
      return 'refund';
    case DepositKind.DISPUTE:
      return 'dispute';
    default:
      return kind satisfies never;
  }
}

/** The kind of a SQL label. */
export function depositKindOf(label: DepositKindLabel): DepositKind {
  switch (label) {
    case 'deposit':
      return DepositKind.DEPOSIT;
    case 'adjustment':
      return DepositKind.ADJUSTMENT;
    case 'refund':
      return DepositKind.REFUND;
    case 'dispute':
      return DepositKind.DISPUTE;
    default:
      return label satisfies never;
  }
}
