import { shortMoney } from '../../format/money.ts';
import { sentence } from '../../format/sentence.ts';

/** What became of a quarantined charge that was posted again. */
export function outcomeSentence(
  outcome: 'posted' | 'duplicate' | 'loss' | 'quarantined',
  reason: string,
  charged: string,
): string {
  switch (outcome) {
    case 'posted':
      return `The charge of ${shortMoney(charged)} is posted.`;
    case 'duplicate':
      return 'The charge was posted before. It is charged once.';
    case 'loss':
      return 'The account could not pay. The charge is posted as a loss.';
    case 'quarantined':
      return `The charge still cannot be posted. ${sentence(reason)}`;
    default:
      return outcome satisfies never;
  }
}
