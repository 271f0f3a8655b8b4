import { INVALID_SPAN_CONTEXT, trace } from '@opentelemetry/api';
import { dashTraceId, newId, newTraceId } from '@tollgate/common/ids';
import { Bucket } from '@tollgate/proto/router';
import { type Attempt, ClientConnection, type Exchange } from '../src/exchange/exchange.ts';
import { priceOfRequest } from '../src/shared/catalogue/request-price.ts';
import type { RoutableModel } from '../src/shared/catalogue/route-table.ts';
import type { AuthenticatedKey, TollgateResponse } from '../src/shared/request/request-context.ts';
import type { Surface } from '../src/shared/request/surface.ts';
import type { Hold } from '../src/wallet/index.ts';
import { deploymentForTests, routableModel } from './route-fixture.ts';

const NANOS_PER_MILLION = 1_000_000n;

/** A model at one deployment, at one nano-dollar a token. */
export function modelForTests(): RoutableModel {
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion: NANOS_PER_MILLION }));
  return routableModel({
    modelId: 'a-model',
    contextWindow: 100_000n,
    maxOutputTokens: 10_000n,
    prices: [{ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n }],
    deployments: [deploymentForTests({ deploymentId: 'a-model@a-provider' })],
  });
}

export function keyForTests(overrides: Partial<AuthenticatedKey> = {}): AuthenticatedKey {
  return {
    keyId: newId(),
    keyName: 'a key',
    accountId: newId(),
    accountTag: 'a-tag',
    allowedModels: [],
    caps: undefined,
    grants: [],
    revision: 1n,
    nodes: [],
    discountPpm: 0,
    priceRules: [],
    tags: {},
    session: undefined,
    credential: 'bearer',
    ...overrides,
  };
}

export interface ExchangeForTests {
  hold: Hold;
  res: TollgateResponse;
  key?: AuthenticatedKey;
  surface?: Surface;
  protocolIn?: string;
  streamed?: boolean;
  /** When it began, on the monotonic clock. */
  startedAt?: number;
}

/** A paid call that has its hold, and no attempt yet. */
export function exchangeForTests({
  hold,
  res,
  key = keyForTests(),
  surface = 'model',
  protocolIn = 'openai-chat',
  streamed = false,
  startedAt = performance.now(),
}: ExchangeForTests): Exchange {
  const entry = modelForTests();
  const traceId = newTraceId();
  return {
    context: {
      requestId: newId(),
      traceId,
      traceUuid: dashTraceId(traceId),
      span: trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
      surface,
      clientIds: { clientSessionId: '', agentId: '', parentAgentId: '' },
      startedAtMs: Date.now(),
      startedAt,
      key,
      owner: key,
      isCharged: false,
      admission: undefined,
      limitLeft: 1,
    },
    key,
    entry,
    price: priceOfRequest(entry.prices, 0, { discountPpm: key.discountPpm, markupPpm: 0 }),
    images: 0,
    clientModel: entry.model.modelId,
    hold,
    client: new ClientConnection(res),
    res,
    operation: 'chat',
    protocolIn,
    streamed,
    countInput: () => Promise.resolve(7),
    maxInputTokens: 100,
    maxOutputTokens: 100,
    maxSearches: 0,
    billsSearchesOnce: false,
    usesWebTools: false,
  };
}

/** The first attempt of an exchange, at its model's only deployment. */
export function attemptForTests({ entry }: Exchange): Attempt {
  const [route] = entry.routes;
  if (route === undefined) throw new Error('the model has no deployment');
  const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
  const sent = { options: [], multiplierPpm: route.priceMultiplierPpm };
  const start = { startedAt: performance.now(), earlier: [], providerStatus: 0 };
  return { route, span, ...start, bodyBytes: 1_000, sent, redact: (text) => text };
}
