import {
  AuthScheme,
  type Deployment,
  DisconnectPolicy,
  type Model,
  Protocol,
  type Provider,
  RequestForm,
} from '@tollgate/proto/router';
import { type RoutableModel, RouteTable } from '../src/shared/catalogue/route-table.ts';

export function providerForTests(fields: Partial<Provider> = {}): Provider {
  return {
    providerId: 'p',
    protocol: Protocol.OPENAI_CHAT,
    baseUrl: 'http://127.0.0.1:1/v1',
    authScheme: AuthScheme.NONE,
    simulated: true,
    headers: {},
    timeouts: undefined,
    requestForm: RequestForm.STANDARD,
    ...fields,
  };
}

/** A deployment in rotation at the provider of `providerForTests`. */
export function deploymentForTests(fields: Partial<Deployment> = {}): Deployment {
  return {
    deploymentId: 'm@p',
    providerId: 'p',
    upstreamModel: 'm',
    weight: 1,
    priority: 0,
    credentials: [],
    inRotation: true,
    parameters: undefined,
    clientProtocols: [],
    priceMultiplierPpm: 1_000_000n,
    ...fields,
  };
}

/** The entry of a model in a route table of its own. */
export function routableModel(fields: Partial<Model>, providers: Provider[] = [providerForTests()]): RoutableModel {
  const model: Model = {
    modelId: 'm',
    aliases: [],
    displayName: 'M',
    description: '',
    ownedBy: 'o',
    created: 0n,
    protocols: [],
    inputModalities: [],
    outputModalities: [],
    contextWindow: 0n,
    maxOutputTokens: 0n,
    enabled: true,
    prices: [{ version: 'v', rates: [], tiers: [], options: [], effectiveFromMs: 0n }],
    deployments: [deploymentForTests()],
    tokensPerMessage: 0n,
    tokensPerRequest: 0n,
    maxTokensPerImage: 0n,
    disconnectPolicy: DisconnectPolicy.ABORT,
    limits: undefined,
    webTools: undefined,
    ...fields,
  };
  const entry = new RouteTable({ version: '1', providers, models: [model] }).find(model.modelId);
  if (entry === undefined) throw new Error('the model is not in the table');
  return entry;
}
