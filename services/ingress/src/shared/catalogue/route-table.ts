import {
  type Deployment,
  Modality,
  type Model,
  Protocol,
  type Provider,
  RequestForm as WireForm,
  type RouteTable as WireTable,
} from '@tollgate/proto/router';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ModelParameters } from '@tollgate/protocols/interface/parameters';
import type { RequestForm } from '@tollgate/protocols/interface/protocol';
import type { ModelFacts } from '@tollgate/protocols/request/bound';
import { modelParametersOf } from './model-parameters.ts';
import { FULL_PPM } from './price-options.ts';
import { type PriceSheets, priceSheetOf } from './price-sheet.ts';

/** A deployment of a model with its provider. */
export interface Route {
  deployment: Deployment;
  provider: Provider;
  /** The provider's. */
  protocol: ProtocolName | 'unspecified';
  form: RequestForm;
  /** Of the provider's base URL: its origin, and its path without a trailing slash. */
  origin: string;
  basePath: string;
  /** What its model accepts in requests. */
  parameters: ModelParameters;
  /** By which the token rates are multiplied for requests that it serves; parts per million. */
  priceMultiplierPpm: bigint;
  /** Equal for deployments of a protocol whose models and providers accept the same. */
  adapterKey: string;
}

/** A model's limits for each account that calls it. */
export interface ModelLimits {
  modelId: string;
  requestsPerMinute: number | undefined;
  tokensPerMinute: number | undefined;
}

/** A model, indexed for the request path. */
export interface RoutableModel {
  model: Model;
  prices: PriceSheets;
  /** In order of the catalogue, in rotation or not. */
  routes: readonly Route[];
  /** Those in rotation. */
  healthy: readonly Route[];
  /** The different multipliers of the routes' prices; at least one. */
  multipliersPpm: readonly bigint[];
  /** The protocols in which clients may call it. */
  protocols: readonly (ProtocolName | 'unspecified')[];
  facts: ModelFacts;
  inputModalities: ReadonlySet<Modality>;
  /** For each account that calls it; undefined for none. */
  limits: ModelLimits | undefined;
  /** The model with only the deployments that serve a client protocol; absent where all do. */
  byProtocol: ReadonlyMap<ProtocolName | 'unspecified', RoutableModel>;
}

/** The route table, indexed: no request waits for the router to choose a model, its price and a deployment. */
export class RouteTable {
  readonly version: string;
  readonly models: readonly RoutableModel[];
  /** Whether any model has limits. */
  readonly hasModelLimits: boolean;
  readonly #byName = new Map<string, RoutableModel>();

  constructor(wire: WireTable) {
    const providers = new Map(wire.providers.map((provider) => [provider.providerId, provider]));
    this.version = wire.version;
    this.models = wire.models.flatMap((model) => {
      const [first, ...later] = model.prices.map(priceSheetOf);
      return first === undefined ? [] : [routable(model, [first, ...later], providers)];
    });
    this.hasModelLimits = this.models.some((entry) => entry.limits !== undefined);
    for (const entry of this.models) {
      for (const alias of entry.model.aliases) this.#byName.set(alias, entry);
    }
    for (const entry of this.models) this.#byName.set(entry.model.modelId, entry);
  }

  /** Finds a model by its id or an alias. */
  find(name: string): RoutableModel | undefined {
    return this.#byName.get(name);
  }

  /** The models a key can call now, in order of the catalogue. */
  callable(key: ModelPermissions): RoutableModel[] {
    return this.models.filter((entry) => isAllowed(entry, key) && isServed(entry));
  }
}

/** The model with only the deployments that serve clients of a protocol. */
export function servedTo(entry: RoutableModel, client: ProtocolName): RoutableModel {
  return entry.byProtocol.get(client) ?? entry;
}

/** What a key, and each node above it, may call; an empty list allows all. */
export interface ModelPermissions {
  allowedModels: readonly string[];
  nodes: readonly { allowedModels: readonly string[] }[];
}

/** Whether a key may call this model. */
export function isAllowed(entry: RoutableModel, key: ModelPermissions): boolean {
  return isListed(entry, key.allowedModels) && key.nodes.every((node) => isListed(entry, node.allowedModels));
}

function isListed({ model }: RoutableModel, allowedModels: readonly string[]): boolean {
  return allowedModels.length === 0 || allowedModels.includes(model.modelId);
}

/** Whether a model is enabled and has a deployment in rotation. */
export function isServed(entry: RoutableModel): boolean {
  return entry.model.enabled && entry.healthy.length > 0;
}

function routable(model: Model, prices: PriceSheets, providers: ReadonlyMap<string, Provider>): RoutableModel {
  const routes = model.deployments.flatMap((deployment) => {
    const provider = providers.get(deployment.providerId);
    if (provider === undefined) return [];
    const { origin, pathname } = new URL(provider.baseUrl);
    const parameters = modelParametersOf(deployment.parameters);
    const adapterKey = `${provider.protocol} ${JSON.stringify([parameters, provider.betas, provider.requestForm])}`;
    const priceMultiplierPpm = deployment.priceMultiplierPpm || FULL_PPM;
    const basePath = pathname.replace(/\/$/, '');
    return [
      {
        deployment,
        provider,
        protocol: protocolName(provider.protocol),
        form: requestFormOf(provider),
        origin,
        basePath,
        parameters,
        priceMultiplierPpm,
        adapterKey,
      },
    ];
  });
  const entry: RoutableModel = {
    model,
    prices,
    ...routesOf(routes),
    protocols: model.protocols.map(protocolName),
    facts: modelFactsOf(model),
    inputModalities: new Set(model.inputModalities),
    limits: modelLimitsOf(model),
    byProtocol: new Map(),
  };
  return { ...entry, byProtocol: narrowed(entry) };
}

/** Routes, with what follows from them. */
function routesOf(routes: readonly Route[]): Pick<RoutableModel, 'routes' | 'healthy' | 'multipliersPpm'> {
  const multipliersPpm = new Set(routes.map((route) => route.priceMultiplierPpm));
  return {
    routes,
    healthy: routes.filter((route) => route.deployment.inRotation),
    multipliersPpm: routes.length === 0 ? [FULL_PPM] : [...multipliersPpm],
  };
}

function modelFactsOf(model: Model): ModelFacts {
  return {
    tokensPerRequest: Number(model.tokensPerRequest),
    tokensPerMessage: Number(model.tokensPerMessage),
    maxTokensPerImage: Number(model.maxTokensPerImage),
    maxOutputTokens: Number(model.maxOutputTokens),
    contextWindow: Number(model.contextWindow),
  };
}

/** The deployments that name a protocol serve it alone; without any, those that name none. */
function narrowed(entry: RoutableModel): RoutableModel['byProtocol'] {
  const byProtocol = new Map<ProtocolName | 'unspecified', RoutableModel>();
  if (entry.routes.every(({ deployment }) => deployment.clientProtocols.length === 0)) return byProtocol;
  for (const protocol of entry.model.protocols) {
    const named = entry.routes.filter(({ deployment }) => deployment.clientProtocols.includes(protocol));
    const others = entry.routes.filter(({ deployment }) => deployment.clientProtocols.length === 0);
    byProtocol.set(protocolName(protocol), { ...entry, ...routesOf(named.length > 0 ? named : others) });
  }
  return byProtocol;
}

function modelLimitsOf({ modelId, limits }: Model): ModelLimits | undefined {
  if (limits?.requestsPerMinute === undefined && limits?.tokensPerMinute === undefined) return undefined;
  return {
    modelId,
    requestsPerMinute: optionalNumber(limits.requestsPerMinute),
    tokensPerMinute: optionalNumber(limits.tokensPerMinute),
  };
}

function optionalNumber(count: bigint | undefined): number | undefined {
  return count === undefined ? undefined : Number(count);
}

/** The public name of a protocol. */
export function protocolName(protocol: Protocol): ProtocolName | 'unspecified' {
  switch (protocol) {
    case Protocol.OPENAI_CHAT:
      return 'openai-chat';
    case Protocol.OPENAI_RESPONSES:
      return 'openai-responses';
    case Protocol.ANTHROPIC_MESSAGES:
      return 'anthropic-messages';
    case Protocol.GEMINI:
      return 'gemini';
    case Protocol.UNSPECIFIED:
      return 'unspecified';
    default:
      return protocol satisfies never;
  }
}

/** The form of requests to a provider. */
export function requestFormOf({ requestForm }: Pick<Provider, 'requestForm'>): RequestForm {
  switch (requestForm) {
    case WireForm.RAW_PREDICT:
      return 'raw-predict';
    case WireForm.STANDARD:
    case WireForm.UNSPECIFIED:
      return 'standard';
    default:
      return requestForm satisfies never;
  }
}

/** The public name of a modality. */
export function modalityName(modality: Modality): string {
  switch (modality) {
    case Modality.TEXT:
      return 'text';
    case Modality.IMAGE:
      return 'image';
    case Modality.AUDIO:
      return 'audio';
    case Modality.FILE:
      return 'file';
    case Modality.EMBEDDING:
      return 'embedding';
    case Modality.UNSPECIFIED:
      return 'unspecified';
    default:
      return modality satisfies never;
  }
}
