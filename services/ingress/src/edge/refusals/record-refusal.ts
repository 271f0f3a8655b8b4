import type { ApiError } from '../../shared/errors/api-error.ts';
import type { TollgateResponse } from '../../shared/request/request-context.ts';
import { describeRefusal } from './describe-refusal.ts';
import type { RefusalReporter } from './refusal-reporter.ts';

/**
 * Records the error response of a request as a refusal, unless its account is not known or the request has a charge, which
 * says more.
 */
export function recordRefusal(
  { refusals }: { refusals: Pick<RefusalReporter, 'record'> },
  error: ApiError,
  { req, locals: { context, body } }: TollgateResponse,
): void {
  const { owner, surface, isCharged } = context;
  const { reason } = error;
  if (owner === undefined || reason === undefined || surface === 'billing' || isCharged) return;
  refusals.record(owner.accountId, reason, () =>
    describeRefusal({ context, path: req.path, body }, owner, error, reason, Date.now()),
  );
}
