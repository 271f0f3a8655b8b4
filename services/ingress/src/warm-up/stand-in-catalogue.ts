import { newId } from '@tollgate/common/ids';
import { KeyRecord } from '@tollgate/proto/auth';
import {
  AuthScheme,
  Bucket,
  DisconnectPolicy,
  Modality,
  Protocol,
  RequestForm,
  RouteTable,
} from '@tollgate/proto/router';

/** Name of the model, its provider, its deployment and the key of a warm-up. */
const NAME = 'warm-up';

/** The model of a warm-up's requests. */
export const MODEL = NAME;

/** A key that may call everything, without limits. */
export function standInKey(accountTag: string): KeyRecord {
  return KeyRecord.create({
    keyId: newId(),
    keyName: NAME,
    accountId: newId(),
    accountTag,
    revision: 1n,
    accountRevision: 1n,
  });
}

/** One priced model of chat completions, at a provider with this base URL. */
export function standInRoutes(baseUrl: string): RouteTable {
  const provider = {
    providerId: NAME,
    protocol: Protocol.OPENAI_CHAT,
    baseUrl,
    authScheme: AuthScheme.NONE,
    simulated: true,
    requestForm: RequestForm.STANDARD,
  };
  const deployment = {
    deploymentId: NAME,
    providerId: NAME,
    upstreamModel: NAME,
    weight: 1,
    inRotation: true,
    priceMultiplierPpm: 1_000_000n,
  };
  const rates = [Bucket.INPUT, Bucket.OUTPUT].map((bucket) => ({ bucket, nanosPerMillion: 1_000_000n }));
  const model = {
    modelId: MODEL,
    displayName: NAME,
    ownedBy: NAME,
    protocols: [Protocol.OPENAI_CHAT],
    inputModalities: [Modality.TEXT],
    outputModalities: [Modality.TEXT],
    contextWindow: 128_000n,
    maxOutputTokens: 16_384n,
    enabled: true,
    prices: [{ version: NAME, rates }],
    deployments: [deployment],
    tokensPerMessage: 4n,
    tokensPerRequest: 3n,
    disconnectPolicy: DisconnectPolicy.ABORT,
  };
  return RouteTable.create({ version: '1', providers: [provider], models: [model] });
}
