import type { Protocol } from '@tollgate/protocols/interface/protocol';
import { COUNTING_LIMITS, COUNTS_PER_MINUTE } from '../edge/limits/applicable.ts';
import { type Limiter } from '../edge/limits/limiter.ts';
import { forwardedHeaders } from '../exchange/upstream/headers.ts';
import type { AttemptDependencies } from '../exchange/upstream-attempts.ts';
import { selectModel } from '../plan/generate/check-request.ts';
import { countAtProvider, countingRoute, estimatePrompt } from '../plan/generate/count-tokens.ts';
import { NO_PATH_PARAMETERS, readRequest } from '../plan/generate/read-request.ts';
import { tryRequestAdapters } from '../plan/generate/request-adapters.ts';
import { modelOutputLimit, policyWith } from '../plan/generate/sent-limits.ts';
import type { ReferenceDependencies } from '../plan/items/response-items.ts';
import { type RouteWatch, routeTableOf } from '../plan/routing/route-watch.ts';
import {
  keyOf,
  type RequestContext,
  type TollgateRequest,
  type TollgateResponse,
} from '../shared/request/request-context.ts';
import { setWarnings } from '../shared/request/response.ts';
import type { CreditManager } from '../wallet/index.ts';

export interface CountTokensDependencies
  extends ReferenceDependencies,
    Pick<AttemptDependencies, 'upstream' | 'credentials' | 'identities' | 'logger'> {
  routes: RouteWatch;
  credit: Pick<CreditManager, 'hasCredit'>;
  limiter: Limiter;
}

const ESTIMATE = 'the count is an estimate by a general tokenizer, without images';

/**
 * A protocol's own endpoint for counting a prompt's tokens, which is free. It returns the count of the model's provider
 * where that has one and the account may have it asked, otherwise a tokenizer's with a warning that it is an estimate.
 * Clients count parts of conversations, such as one tool result, which no provider would accept as a prompt: they are
 * estimated too.
 */
export function createCountTokensHandler(deps: CountTokensDependencies, protocol: Protocol) {
  const { name, count } = protocol;
  if (count === undefined) throw new Error(`${name} has no call for counting tokens`);
  return async (req: TollgateRequest, res: TollgateResponse, path = NO_PATH_PARAMETERS): Promise<void> => {
    const { context } = res.locals;
    const { request, pause } = await readRequest(deps, req, res, name, count.parseRequest.bind(count), path);
    const { entry, hosted } = selectModel(request, name, routeTableOf(deps.routes), context);
    const limits = { outputTokens: modelOutputLimit(request, entry), hostedUses: hosted?.uses };
    const forwarded = forwardedHeaders(req.headers, name);
    const adapters = await tryRequestAdapters(protocol, request, entry, { limits, headers: forwarded, pause });
    const route = countingRoute(entry, adapters);
    const withheld = route === undefined ? undefined : await whyWithheld(deps, context);
    const native =
      route === undefined || withheld !== undefined
        ? undefined
        : await countAtProvider(deps, context, { route, adapters, forwarded, limits, pause });
    await pause();
    const tokens = native ?? (await estimatePrompt(request, pause));
    const body = count.encodeResponse(tokens);
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', Buffer.byteLength(body));
    setWarnings(res, [
      ...policyWith(request, hosted?.uses).warnings.map(({ message }) => message),
      ...(native === undefined ? [[ESTIMATE, withheld].filter(Boolean).join(': ')] : []),
      ...(adapters.problem === undefined ? [] : [adapters.problem]),
    ]);
    await context.admission?.recordUsage(0);
    res.end(body);
  };
}

/**
 * Why an account's prompts are not sent to a provider, which would do the work for nothing; undefined if they are. The
 * limit comes first: it also limits how often the ledger is asked.
 */
async function whyWithheld(
  { limiter, credit }: Pick<CountTokensDependencies, 'limiter' | 'credit'>,
  context: RequestContext,
): Promise<string | undefined> {
  const key = keyOf(context);
  if (context.admission === undefined) throw new Error('the request has not been admitted');
  const { kind } = await limiter.take(context.admission, key, COUNTING_LIMITS, 0);
  if (kind === 'refused') return `the provider is asked for at most ${COUNTS_PER_MINUTE} counts per minute`;
  return (await credit.hasCredit(key.accountId)) ? undefined : 'the account has no credit';
}
