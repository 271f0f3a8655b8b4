import type { EmbeddingsResult } from '@tollgate/protocols/embeddings/index';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { ClientConnection } from '../exchange/client-connection.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { runExchange } from '../exchange/run-exchange.ts';
import { takeHold } from '../exchange/take-hold.ts';
import { sentence } from '../generate/sentence.ts';
import { pausesFor } from '../generate/stages.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { requireJson } from '../http/require-json.ts';
import { affinityOf } from '../model-routing/choose-route.ts';
import { routeTableOf } from '../model-routing/route-watch.ts';
import { priceOfRequest } from '../pricing/request-price.ts';
import { forwardedHeaders } from '../upstream/client-headers.ts';
import { admitEmbeddings } from './admit.ts';
import { callsOf } from './calls.ts';
import { countEmbeddingsInput } from './count-input.ts';
import { planEmbeddings } from './plan.ts';

/** What one endpoint has of its own. */
export interface EmbeddingsEndpoint {
  read: (body: Buffer) => EmbeddingsResult;
  /** What the contract answers there for a balance that is too small. */
  shortageStatus: 400 | 402;
}

/** An embeddings call in any shape: admits, holds credit, calls an upstream, gives its answer and charges for it. */
export async function embed(
  deps: Dependencies,
  req: TollgateRequest,
  res: TollgateResponse,
  { read, shortageStatus }: EmbeddingsEndpoint,
): Promise<void> {
  const { context, body } = res.locals;
  const key = keyOf(context);
  requireJson(req.headers['content-type']);
  const pause = pausesFor(body.length);
  await pause();
  const reading = read(body);
  await pause();
  if (!reading.ok) throw apiErrors.invalidRequest(sentence(reading.error.message));
  const { request } = reading;
  const { entry, inputTokens } = admitEmbeddings(request, routeTableOf(deps.routes), key);
  const client = new ClientConnection(res);
  const price = priceOfRequest(entry.prices, context.startedAtMs, key.discountPpm);
  const held = await takeHold(deps.credit, {
    key,
    price,
    inputTokens,
    images: 0,
    outputTokens: 0,
    extraOutputTokens: 0,
    choices: 1,
    isLimitFixed: true,
    minOutputTokens: 0,
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
    images: 0,
    clientModel: request.model,
    hold: held.hold,
    client,
    res,
    operation: 'embeddings',
    protocolIn: request.protocol,
    streamed: false,
    countInput: () => countEmbeddingsInput(request),
    maxInputTokens: inputTokens,
    maxOutputTokens: 0,
  };
  const { warnings } = forwardedHeaders(req.headers, 'openai-chat');
  await runExchange(deps, exchange, affinityOf(key.accountId, request.prompt), () =>
    planEmbeddings(deps, exchange, { request, calls: callsOf(request, entry), warnings }),
  );
}
