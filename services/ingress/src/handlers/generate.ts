import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { Protocol } from '@tollgate/protocols/interface/protocol';
import type { IngressConfig } from '../config.ts';
import { sendFailedStream } from '../exchange/failed-stream.ts';
import { openExchange } from '../exchange/open-exchange.ts';
import { runExchange } from '../exchange/run-exchange.ts';
import type { StreamRelayDependencies } from '../exchange/stream-relay.ts';
import { forwardedHeaders } from '../exchange/upstream/headers.ts';
import type { AttemptDependencies } from '../exchange/upstream-attempts.ts';
import { createAttemptPlanner } from '../plan/generate/attempt-planner.ts';
import { checkRequest } from '../plan/generate/check-request.ts';
import { countInput } from '../plan/generate/count-tokens.ts';
import { NO_PATH_PARAMETERS, readRequest } from '../plan/generate/read-request.ts';
import { createRequestAdapters, smallestOutputLimit, translationAllowance } from '../plan/generate/request-adapters.ts';
import { outputLimitToSend, policyWith, usesWarnings } from '../plan/generate/sent-limits.ts';
import type { ReferenceDependencies } from '../plan/items/response-items.ts';
import { type RouteWatch, routeTableOf } from '../plan/routing/route-watch.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../shared/request/request-context.ts';
import type { CreditManager } from '../wallet/index.ts';

export interface GenerateDependencies extends AttemptDependencies, StreamRelayDependencies, ReferenceDependencies {
  credit: CreditManager;
  routes: RouteWatch;
  config: Pick<IngressConfig, 'CONSOLE_URL' | 'MAX_REQUEST_MS' | 'RECHARGE_URL' | 'STREAM_KEEP_ALIVE_MS'>;
}

/** The protocol whose clients must set an output limit: one beyond the balance is lowered, and an error in the others. */
const REQUIRES_OUTPUT_LIMIT: ProtocolName = 'anthropic-messages';
/** Minimum output tokens that are worth a call if the balance sets the limit. */
const MIN_OUTPUT_TOKENS = 16;

/**
 * A generation endpoint of a client protocol: checks the request, holds credit, calls an upstream, relays its response and
 * charges for it.
 *
 * @param insufficientStatus the endpoint's status for an insufficient balance
 */
export function createGenerateHandler(deps: GenerateDependencies, protocol: Protocol, insufficientStatus: 400 | 402) {
  return async (req: TollgateRequest, res: TollgateResponse, path = NO_PATH_PARAMETERS): Promise<void> => {
    const { name } = protocol;
    const key = keyOf(res.locals.context);
    const parse = protocol.parseRequest.bind(protocol);
    const { request, pause } = await readRequest(deps, req, res, name, parse, path);
    const mayClamp = name === REQUIRES_OUTPUT_LIMIT;
    const checked = checkRequest(request, name, routeTableOf(deps.routes), res.locals.context);
    const { entry, bound, hosted } = checked;
    const headers = forwardedHeaders(req.headers, name);
    const smallest = smallestOutputLimit(name, entry);
    const opened = await openExchange(deps, res, {
      entry,
      clientModel: request.model,
      operation: 'chat',
      options: request.policy.options,
      protocolIn: name,
      streamed: request.isStream,
      countInput: () => countInput(request),
      inputTokens: bound.inputTokens + translationAllowance(name, entry),
      images: bound.images,
      hosted,
      outputTokens: Math.max(bound.outputTokensPerChoice, smallest),
      extraOutputTokens: bound.extraOutputTokens,
      choices: bound.choices,
      isLimitFixed: request.isUnlimited === true || (bound.requestedOutputTokens !== undefined && !mayClamp),
      minOutputTokens: Math.max(MIN_OUTPUT_TOKENS, smallest),
      insufficientStatus,
    });
    if (opened === undefined) return;
    const { exchange, granted } = opened;
    const limit = outputLimitToSend(request, entry, granted, key);
    const hostedUses = hosted === undefined ? undefined : granted.hostedUses;
    const limits = { outputTokens: limit.tokens, hostedUses };
    const warnings = [
      ...policyWith(request, hostedUses).warnings.map(({ message }) => message),
      ...usesWarnings(request, hosted, granted.hostedUses),
      ...headers.warnings,
      ...limit.warnings,
    ];
    const run = runExchange(deps, exchange, request, async () => {
      // Only once the credit is held, because translating is most of the work. An error releases the hold.
      const adapters = await createRequestAdapters(protocol, request, entry, { limits, headers, pause });
      return createAttemptPlanner(deps, exchange, {
        request,
        adapters,
        limits,
        warnings,
        headers,
        pause,
      });
    });
    await run.catch((error: unknown) => {
      if (!sendFailedStream(exchange, request, error)) throw error;
    });
  };
}
