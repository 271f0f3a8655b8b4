import type { ClientRequest, PathParameters, Protocol } from '@tollgate/protocols/protocol';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { ClientConnection } from '../exchange/client-connection.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { runExchange } from '../exchange/run-exchange.ts';
import { type GrantedHold, takeHold } from '../exchange/take-hold.ts';
import { admit } from '../generate/admit.ts';
import { ALL_IN_BODY } from '../generate/call-line.ts';
import { countInput } from '../generate/count-input.ts';
import { planGeneration } from '../generate/plan.ts';
import { sentence } from '../generate/sentence.ts';
import { type Pause, pausesFor, runStages } from '../generate/stages.ts';
import { limitOfModel, translationAllowance, waysOf } from '../generate/ways.ts';
import { type AuthenticatedKey, keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { requireJson } from '../http/require-json.ts';
import { resolveItemReferences } from '../items/resolve-references.ts';
import { affinityOf } from '../model-routing/choose-route.ts';
import type { RoutableModel } from '../model-routing/route-table.ts';
import { routeTableOf } from '../model-routing/route-watch.ts';
import { priceOfRequest } from '../pricing/request-price.ts';
import { forwardedHeaders } from '../upstream/client-headers.ts';

/**
 * A generation endpoint of a client protocol: admits, holds credit, calls an upstream, relays its answer and charges for it.
 *
 * @param shortageStatus what the contract answers there for a balance that is too small
 */
export function generate(deps: Dependencies, protocol: Protocol, shortageStatus: 400 | 402) {
  return async (req: TollgateRequest, res: TollgateResponse, call = ALL_IN_BODY): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    requireJson(req.headers['content-type']);
    const body = await resolveItemReferences(deps, protocol.name, key.accountId, res.locals.body);
    const pause = pausesFor(body.length);
    await pause();
    const request = await readRequest(protocol, body, call, pause);
    await pause();
    const mayClamp = deps.config.CLAMP_OUTPUT_LIMIT.includes(protocol.name);
    const { entry, bound } = admit(request, protocol.name, routeTableOf(deps.routes), key, mayClamp);
    const headers = forwardedHeaders(req.headers, protocol.name);
    const client = new ClientConnection(res);
    const maxInputTokens = bound.inputTokens + translationAllowance(protocol.name, entry);
    const price = priceOfRequest(entry.prices, context.startedAtMs, key.discountPpm);
    const held = await takeHold(deps.credit, {
      key,
      price,
      inputTokens: maxInputTokens,
      images: bound.images,
      outputTokens: bound.outputTokensPerChoice,
      extraOutputTokens: bound.extraOutputTokens,
      choices: bound.choices,
      isLimitFixed: bound.requestedOutputTokens !== undefined && !mayClamp,
      minOutputTokens: deps.config.MIN_OUTPUT_TOKENS,
      shortageStatus,
      rechargeUrl: deps.config.RECHARGE_URL,
      startedAtMs: context.startedAtMs,
      signal: client.signal,
    });
    if (held === undefined) return;
    const exchange: Exchange = {
      context,
      key,
      entry,
      price,
      images: bound.images,
      clientModel: request.model,
      hold: held.hold,
      client,
      res,
      operation: 'chat',
      protocolIn: protocol.name,
      streamed: request.isStream,
      countInput: () => countInput(request),
      maxInputTokens,
      maxOutputTokens: (held.outputTokens ?? bound.outputTokensPerChoice) * bound.choices + bound.extraOutputTokens,
    };
    const limit = limitToSend(request, entry, held, key);
    const warnings = [...request.policy.warnings.map((note) => note.message), ...headers.warnings, ...limit.warnings];
    await runExchange(deps, exchange, affinityOf(key.accountId, request.prompt), async () => {
      // Only now, with the credit held: translating is most of the work. A refusal frees the hold.
      const ways = await runStages(waysOf(protocol, request, entry, limit.tokens), pause);
      return planGeneration(deps, exchange, { request, ways, outputTokens: limit.tokens, warnings, headers, pause });
    });
  };
}

async function readRequest(
  protocol: Protocol,
  body: Buffer,
  call: PathParameters,
  pause: Pause,
): Promise<ClientRequest> {
  const result = await runStages(protocol.parseRequest(body, call), pause);
  if (!result.ok) throw apiErrors.invalidRequest(sentence(result.error.message));
  return result.request;
}

/** The output limit to put in place of the client's: what can be paid for, or what the model can; undefined leaves it. */
function limitToSend(
  request: ClientRequest,
  entry: RoutableModel,
  { outputTokens: affordable, atLargestCharge }: GrantedHold,
  { caps }: AuthenticatedKey,
): { tokens: number | undefined; warnings: string[] } {
  const { tokens: wanted, field } = request.outputLimit;
  if (affordable !== undefined) {
    const warning = `${field}: lowered to ${affordable}, which is what ${payerOf(atLargestCharge, caps)} for`;
    return { tokens: affordable, warnings: wanted === undefined ? [] : [warning] };
  }
  const tokens = limitOfModel(request, Number(entry.model.maxOutputTokens));
  return {
    tokens,
    warnings: tokens === undefined ? [] : [`${field}: lowered to ${tokens}, the most this model generates`],
  };
}

/** What an output limit was lowered to the means of. */
function payerOf(atLargestCharge: boolean, caps: AuthenticatedKey['caps']): string {
  if (atLargestCharge) return 'the most that one request may cost pays';
  return caps === undefined ? 'the balance pays' : "the balance and the key's spending caps pay";
}
