import {
  type ClientEmbeddings,
  type EmbeddingsResult,
  parseBatchEmbedContents,
  parseEmbedContent,
  parseOpenaiEmbeddings,
  requestTexts,
  inputTokens as tokensOf,
} from '@tollgate/protocols/embeddings/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import { loadCounter } from '@tollgate/protocols/tokens/counter';
import type { IngressConfig } from '../config.ts';
import { requireJson } from '../edge/http/body.ts';
import type { ReceiverDependencies } from '../exchange/buffered-response.ts';
import { openExchange } from '../exchange/open-exchange.ts';
import { runExchange } from '../exchange/run-exchange.ts';
import { forwardedHeaders } from '../exchange/upstream/headers.ts';
import type { AttemptDependencies } from '../exchange/upstream-attempts.ts';
import { checkRequest, createAttemptPlanner, createRequestAdapters } from '../plan/embeddings.ts';
import { type RouteWatch, routeTableOf } from '../plan/routing/route-watch.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../shared/request/request-context.ts';
import { pausesFor } from '../shared/scheduling/stages.ts';
import type { CreditManager } from '../wallet/index.ts';

export interface EmbedDependencies extends AttemptDependencies, ReceiverDependencies {
  credit: CreditManager;
  routes: RouteWatch;
  config: Pick<IngressConfig, 'CONSOLE_URL' | 'RECHARGE_URL' | 'MAX_REQUEST_MS'>;
}

/** What is specific to one endpoint. */
export interface EmbeddingsEndpoint {
  parse: (body: Buffer) => EmbeddingsResult;
  /** The endpoint's status for an insufficient balance. */
  insufficientStatus: 400 | 402;
}

/** An embeddings endpoint: checks the request, holds credit, calls an upstream, sends its response and charges for it. */
export async function embed(
  deps: EmbedDependencies,
  req: TollgateRequest,
  res: TollgateResponse,
  { parse, insufficientStatus }: EmbeddingsEndpoint,
): Promise<void> {
  const { context, body } = res.locals;
  const key = keyOf(context);
  requireJson(req.headers['content-type']);
  const pause = pausesFor(body.length);
  await pause();
  const result = parse(body);
  await pause();
  if (!result.ok) throw apiErrors.invalidField(result.error.message);
  const { request } = result;
  const { entry, inputTokens } = checkRequest(request, routeTableOf(deps.routes), key);
  const opened = await openExchange(deps, res, {
    entry,
    clientModel: request.model,
    operation: 'embeddings',
    options: [],
    protocolIn: request.protocol,
    streamed: false,
    countInput: () => countInput(request),
    inputTokens,
    images: 0,
    outputTokens: 0,
    extraOutputTokens: 0,
    choices: 1,
    isLimitFixed: true,
    minOutputTokens: 0,
    insufficientStatus,
  });
  if (opened === undefined) return;
  const { exchange } = opened;
  const { warnings } = forwardedHeaders(req.headers, 'openai-chat');
  await runExchange(deps, exchange, request, () =>
    createAttemptPlanner(deps, exchange, { request, adapters: createRequestAdapters(request, entry), warnings }),
  );
}

/** Estimates the input's tokens, for an upstream that reports no usage. Input sent as tokens is counted exactly. */
async function countInput({ canonical }: ClientEmbeddings): Promise<number> {
  const count = await loadCounter();
  return tokensOf(canonical) + (await count(requestTexts(canonical).join('\n')));
}

/** POST /v1/embeddings, in OpenAI's format. */
export function createEmbeddingsHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse): Promise<void> =>
    embed(deps, req, res, { parse: parseOpenaiEmbeddings, insufficientStatus: 400 });
}

/** POST /v1beta/models/{model}:batchEmbedContents, in Google's format, for several contents. */
export function createGeminiBatchEmbedContentsHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseBatchEmbedContents(body, model), insufficientStatus: 402 });
}

/** POST /v1beta/models/{model}:embedContent, in Google's format. */
export function createGeminiEmbedContentHandler(deps: EmbedDependencies) {
  return (req: TollgateRequest, res: TollgateResponse, { model }: Pick<PathParameters, 'model'>): Promise<void> =>
    embed(deps, req, res, { parse: (body) => parseEmbedContent(body, model), insufficientStatus: 402 });
}
