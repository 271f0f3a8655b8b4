import type { Protocol } from '@tollgate/protocols/interface/protocol';
import type { AttemptDependencies } from '../exchange/upstream-attempts.ts';
import { selectModel } from '../generate/check-request.ts';
import { countAtProvider, estimatePrompt } from '../generate/count-tokens.ts';
import { policyWith } from '../generate/hosted-tools.ts';
import { modelOutputLimit } from '../generate/output-limit.ts';
import { NO_PATH_PARAMETERS, readRequest } from '../generate/read-request.ts';
import { tryRequestAdapters } from '../generate/request-adapters.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';
import { setWarnings } from '../http/response.ts';
import type { ReferenceDependencies } from '../items/resolve-references.ts';
import { type RouteWatch, routeTableOf } from '../model-routing/route-watch.ts';
import { forwardedHeaders } from '../upstream/client-headers.ts';

export interface CountTokensDependencies
  extends ReferenceDependencies,
    Pick<AttemptDependencies, 'upstream' | 'credentials' | 'identities' | 'logger'> {
  routes: RouteWatch;
}

const ESTIMATE = 'the count is an estimate by a general tokenizer, without images';

/**
 * A protocol's own endpoint for counting a prompt's tokens. It is free and works without balance. It returns the count of
 * the model's provider where that has one, otherwise a tokenizer's with a warning that it is an estimate. Clients count
 * parts of conversations, such as one tool result, which no provider would accept as a prompt: they are estimated too.
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
    const native = await countAtProvider(deps, context, { entry, adapters, forwarded, limits, pause });
    await pause();
    const tokens = native ?? (await estimatePrompt(request, pause));
    const body = count.encodeResponse(tokens);
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', Buffer.byteLength(body));
    setWarnings(res, [
      ...policyWith(request, hosted?.uses).warnings.map(({ message }) => message),
      ...(native === undefined ? [ESTIMATE] : []),
      ...(adapters.problem === undefined ? [] : [adapters.problem]),
    ]);
    await context.admission?.recordUsage(0);
    res.end(body);
  };
}
