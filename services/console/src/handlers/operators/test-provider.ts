import { formatDollars } from '@tollgate/common/money';
import { CheckOutcome } from '@tollgate/proto/router';
import type { RouterReplicas } from '../../health/router-replicas.ts';
import type { Handler } from '../../http/handler.ts';
import { textOrNull } from '../../render/time.ts';

/** Longer than an ingress may take. */
const DEADLINE_MS = 115_000;

const RESULTS = {
  [CheckOutcome.UNSPECIFIED]: 'skipped',
  [CheckOutcome.HOLDS]: 'holds',
  [CheckOutcome.FAILS]: 'fails',
  [CheckOutcome.LACKS]: 'lacks',
  [CheckOutcome.SKIPPED]: 'skipped',
} as const;

/** Has an ingress test a provider with real requests. */
export function createTestProviderHandler({
  routerReplicas,
}: {
  routerReplicas: RouterReplicas;
}): Handler<'POST /operator/providers/{provider}/test'> {
  return async ({ path, body, rpc }) => {
    const request = { providerId: path.provider, model: body.model ?? '', all: body.all === true };
    const tested = await routerReplicas.testProvider(request, await rpc(DEADLINE_MS));
    return {
      provider: tested.providerId,
      model: tested.modelId,
      deployment: tested.deploymentId,
      upstream_model: tested.upstreamModel,
      ingress: tested.ingressName,
      checks: tested.checks.map((check) => ({
        name: check.name,
        result: RESULTS[check.outcome],
        required: check.required,
        duration_ms: check.durationMs === 0 ? null : check.durationMs,
        http_status: check.httpStatus === 0 ? null : check.httpStatus,
        detail: check.detail,
        hint: textOrNull(check.hint),
      })),
      requests: tested.requests,
      input_tokens: Number(tested.inputTokens),
      output_tokens: Number(tested.outputTokens),
      cost: formatDollars(tested.costNanos),
    };
  };
}
