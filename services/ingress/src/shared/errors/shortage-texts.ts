import { type CapPeriodLabel, periodEnd } from '@tollgate/common/cap-periods';
import type { ReachedCap } from '../../wallet/index.ts';

/** Names of spending caps in messages. */
export const CAP_NAMES: Record<CapPeriodLabel, string> = { day: 'daily', month: 'monthly', total: 'total' };

/** What the remaining amount pays for, and what helps. @param first what helps with any request */
export function remedy(first: string, outputTokens: number | undefined): string {
  if (outputTokens === undefined) return `. ${first}, or send a smaller request.`;
  const smaller = outputTokens === 0 ? 'send a smaller request' : 'lower the output limit';
  return `, which pays for ${tokensText(outputTokens)}. ${first}, or ${smaller}.`;
}

/** Like `remedy`, if only a smaller request helps. */
export function lessOf(outputTokens: number | undefined): string {
  if (outputTokens === undefined) return '. Send a smaller request.';
  const remains = outputTokens === 0 ? 'Send a smaller request.' : 'Lower the output limit.';
  return `, which pays for ${tokensText(outputTokens)}. ${remains}`;
}

function tokensText(outputTokens: number): string {
  return outputTokens === 0 ? 'no output tokens' : `${outputTokens} output token${outputTokens === 1 ? '' : 's'}`;
}

/** When a reached cap resets. */
export function renewal({ period, startMs }: ReachedCap): string {
  const end = periodEnd(period, startMs);
  return end === undefined ? '' : ` It resets at ${new Date(end).toISOString().replace('.000Z', 'Z')}.`;
}
