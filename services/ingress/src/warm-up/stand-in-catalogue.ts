import { newId } from '@tollgate/common/ids';
import type { KeyRecord } from '@tollgate/proto/auth';
import {
  AuthScheme,
  Bucket,
  type Deployment,
  DisconnectPolicy,
  Modality,
  type Model,
  Protocol,
  type Provider,
  RequestForm,
  type RouteTable,
} from '@tollgate/proto/router';

/** Name of the model, its provider, its deployment and the key of a warm-up. */
const NAME = 'warm-up';

/** The model of a warm-up's requests. */
export const MODEL = NAME;

/** A key that may call everything, without limits. */
export function standInKey(accountTag: string): KeyRecord {
  return {
    keyId: newId(),
    keyName: NAME,
    accountId: newId(),
    accountTag,
    expiresAtMs: 0n,
    allowedModels: [],
    caps: undefined,
    revision: 1n,
    discountPpm: 0,
    accountRevision: 1n,
    limits: undefined,
    accountLimits: undefined,
    tags: {},
  };
}

/** One priced model of chat completions, at a provider with this base URL. */
export function standInRoutes(baseUrl: string): RouteTable {
  const provider: Provider = {
    providerId: NAME,
    protocol: Protocol.OPENAI_CHAT,
    baseUrl,
    authScheme: AuthScheme.NONE,
    simulated: true,
    headers: {},
    timeouts: undefined,
    requestForm: RequestForm.STANDARD,
  };
  const deployment: Deployment = {
    deploymentId: NAME,
    providerId: NAME,
    upstreamModel: NAME,
    weight: 1,
    priority: 0,
    credentials: [],
    inRotation: true,
    parameters: undefined,
    clientProtocols: [],
    priceMultiplierPpm: 1_000_000n,
  };
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion: 1_000_000n }));
  const model: Model = {
    modelId: MODEL,
    aliases: [],
    displayName: NAME,
    description: '',
    ownedBy: NAME,
    created: 0n,
    protocols: [Protocol.OPENAI_CHAT],
    inputModalities: [Modality.TEXT],
    outputModalities: [Modality.TEXT],
    contextWindow: 128_000n,
    maxOutputTokens: 16_384n,
    enabled: true,
    prices: [{ version: NAME, rates, tiers: [], options: [], effectiveFromMs: 0n }],
    deployments: [deployment],
    tokensPerMessage: 4n,
    tokensPerRequest: 3n,
    maxTokensPerImage: 0n,
    disconnectPolicy: DisconnectPolicy.ABORT,
    limits: undefined,
    webTools: undefined,
  };
  return { version: '1', providers: [provider], models: [model] };
}
