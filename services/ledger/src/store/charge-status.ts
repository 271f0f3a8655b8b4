import { ChargeStatus } from '@tollgate/proto/ledger';

/** Labels of the SQL type ledger.charge_status. */
export type ChargeStatusLabel = 'completed' | 'cancelled' | 'failed';

/** The SQL label of a status; undefined for UNSPECIFIED. */
export function chargeStatusLabel(status: ChargeStatus): ChargeStatusLabel | undefined {
  switch (status) {
    case ChargeStatus.UNSPECIFIED:
      return undefined;
    case ChargeStatus.COMPLETED:
      return 'completed';
    case ChargeStatus.CANCELLED:
      return 'cancelled';
    case ChargeStatus.FAILED:
      return 'failed';
    default:
      return status satisfies never;
  }
}

/** The status of a SQL label. */
export function chargeStatusOf(label: ChargeStatusLabel): ChargeStatus {
  switch (label) {
    case 'completed':
      return ChargeStatus.COMPLETED;
    case 'cancelled':
      return ChargeStatus.CANCELLED;
    case 'failed':
      return ChargeStatus.FAILED;
    default:
      return label satisfies never;
  }
}
