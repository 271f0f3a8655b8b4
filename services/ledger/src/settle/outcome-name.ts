import { SettleOutcome } from '@tollgate/proto/ledger';

/** The name of an outcome in metrics and spans. */
export function outcomeName(outcome: SettleOutcome): string {
  switch (outcome) {
    case SettleOutcome.UNSPECIFIED:
      return 'unspecified';
    case SettleOutcome.POSTED:
      return 'posted';
    case SettleOutcome.DUPLICATE:
      return 'duplicate';
    case SettleOutcome.LOSS:
      return 'loss';
    case SettleOutcome.QUARANTINED:
      return 'quarantined';
    default:
      return outcome satisfies never;
  }
}
