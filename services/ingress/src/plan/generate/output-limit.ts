import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import type { GrantedHold } from '../../exchange/take-hold.ts';
import type { RoutableModel } from '../../shared/catalogue/route-table.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';

/** The output limit to send instead of the client's. */
export interface SentOutputLimit {
  /** Undefined leaves the client's limit. */
  tokens: number | undefined;
  /** For the client, where its own limit was lowered. */
  warnings: string[];
}

/** The model's maximum where the client's limit exceeds it; undefined leaves the client's limit. */
export function modelOutputLimit({ outputLimit }: ClientRequest, { facts }: RoutableModel): number | undefined {
  const max = facts.maxOutputTokens;
  return outputLimit.tokens !== undefined && outputLimit.tokens > max ? max : undefined;
}

/** The output limit to send: what the hold pays for, or the model's maximum. */
export function outputLimitToSend(
  request: ClientRequest,
  entry: RoutableModel,
  { outputTokens: affordable, atLargestCharge }: GrantedHold,
  { caps }: AuthenticatedKey,
): SentOutputLimit {
  const { tokens: requested, field } = request.outputLimit;
  if (affordable !== undefined) {
    const warning = `${field}: lowered to ${affordable}, which is what ${payerOf(atLargestCharge, caps)} for`;
    return { tokens: affordable, warnings: requested === undefined ? [] : [warning] };
  }
  const tokens = modelOutputLimit(request, entry);
  return {
    tokens,
    warnings: tokens === undefined ? [] : [`${field}: lowered to ${tokens}, the maximum of this model`],
  };
}

/** What limits the output, for the warning. */
function payerOf(atLargestCharge: boolean, caps: AuthenticatedKey['caps']): string {
  if (atLargestCharge) return 'the maximum cost of one request pays';
  return caps === undefined ? 'the balance pays' : "the balance and the key's spending caps pay";
}
