import {
  AuthScheme,
  type CredentialReference,
  type Deployment,
  DisconnectPolicy,
  Modality,
  type Model,
  type ModelLimits,
  Protocol,
  type Provider,
  RequestForm,
  type WebTools,
} from '@tollgate/proto/router';
import { dialectParameters } from '../dialects/index.ts';
import { credentialsOf } from './check-entries.ts';
import { deploymentId } from './check-names.ts';
import { priceMultiplier } from './check-prices.ts';
import { servedProtocols } from './check-protocols.ts';
import { CLOUD_SCHEMES, toCloudIdentity } from './cloud.ts';
import { mergeParameters } from './parameters.ts';
import { toPrices } from './price.ts';
import {
  type Catalogue,
  type CredentialEntry,
  type DeploymentEntry,
  isEmbeddingModel,
  type ModelEntry,
  type ProviderEntry,
} from './schema.ts';
import { toBetas, toParameters } from './to-parameters.ts';

/** A catalogue as sent to ingresses, without the health of deployments. */
export interface Routes {
  providers: Provider[];
  models: Model[];
}

const PROTOCOL_OF = {
  'openai-chat': Protocol.OPENAI_CHAT,
  'openai-responses': Protocol.OPENAI_RESPONSES,
  'anthropic-messages': Protocol.ANTHROPIC_MESSAGES,
  gemini: Protocol.GEMINI,
} as const;

const AUTH_SCHEME_OF = {
  bearer: AuthScheme.BEARER,
  'x-api-key': AuthScheme.X_API_KEY,
  'x-goog-api-key': AuthScheme.X_GOOG_API_KEY,
  'api-key': AuthScheme.API_KEY,
  'aws-sigv4': AuthScheme.AWS_SIGV4,
  google: AuthScheme.GOOGLE,
  entra: AuthScheme.ENTRA,
  none: AuthScheme.NONE,
} as const;

const REQUEST_FORM_OF = { standard: RequestForm.STANDARD, 'raw-predict': RequestForm.RAW_PREDICT } as const;

const MODALITY_OF = {
  text: Modality.TEXT,
  image: Modality.IMAGE,
  audio: Modality.AUDIO,
  file: Modality.FILE,
  embedding: Modality.EMBEDDING,
} as const;

const DISCONNECT_POLICY_OF = { abort: DisconnectPolicy.ABORT, drain: DisconnectPolicy.DRAIN } as const;

/** @param baseUrls expanded base URLs by provider id */
export function toRoutes(catalogue: Catalogue, baseUrls: ReadonlyMap<string, string>): Routes {
  const providers = new Map(catalogue.providers.map((entry) => [entry.id, entry]));
  return {
    providers: catalogue.providers.map((entry) => toProvider(entry, baseUrls.get(entry.id) ?? '')),
    models: catalogue.models.map((entry) => toModel(entry, providers)),
  };
}

function toProvider(entry: ProviderEntry, baseUrl: string): Provider {
  return {
    providerId: entry.id,
    protocol: PROTOCOL_OF[entry.protocol],
    baseUrl,
    authScheme: AUTH_SCHEME_OF[entry.auth],
    simulated: entry.simulated,
    // In lower case, so that ingresses find a header regardless of its case.
    headers: Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name.toLowerCase(), value])),
    timeouts: {
      connectMs: entry.timeouts.connect_ms,
      firstByteMs: entry.timeouts.first_byte_ms,
      idleMs: entry.timeouts.idle_ms,
      totalMs: entry.timeouts.total_ms,
    },
    betas: toBetas(entry.betas),
    cloud: toCloudIdentity(entry.cloud),
    requestForm: REQUEST_FORM_OF[entry.request_form],
  };
}

function toModel(entry: ModelEntry, providers: ReadonlyMap<string, ProviderEntry>): Model {
  // Models are offered to the clients of every protocol, regardless of their provider's.
  const protocols = isEmbeddingModel(entry) ? [] : (entry.protocols ?? servedProtocols(entry.deployments));
  return {
    modelId: entry.id,
    aliases: entry.aliases,
    displayName: entry.display_name ?? entry.id,
    description: entry.description ?? '',
    ownedBy: entry.owned_by ?? entry.deployments[0]?.provider ?? '',
    created: BigInt(entry.created),
    protocols: [...new Set(protocols)].map((protocol) => PROTOCOL_OF[protocol]),
    inputModalities: [...new Set(entry.input)].map((modality) => MODALITY_OF[modality]),
    outputModalities: [...new Set(entry.output)].map((modality) => MODALITY_OF[modality]),
    contextWindow: BigInt(entry.context_window),
    maxOutputTokens: BigInt(entry.max_output_tokens ?? 0),
    enabled: entry.enabled,
    deployments: entry.deployments.map((deployment) => toDeployment(entry, deployment, providers)),
    tokensPerMessage: BigInt(entry.tokens_per_message),
    tokensPerRequest: BigInt(entry.tokens_per_request),
    maxTokensPerImage: BigInt(entry.max_tokens_per_image),
    disconnectPolicy: DISCONNECT_POLICY_OF[entry.on_disconnect ?? (isAtCloud(entry, providers) ? 'drain' : 'abort')],
    prices: toPrices(entry),
    limits: toLimits(entry.limits),
    webTools: toWebTools(entry.web_tools),
  };
}

function toWebTools(entry: ModelEntry['web_tools']): WebTools {
  return {
    maxSearches: entry.max_searches,
    maxFetches: entry.max_fetches,
    maxTokensPerUse: BigInt(entry.max_tokens_per_use ?? 0),
    maxOwnSearches: entry.max_own_searches,
    billedPerRequest: entry.billed_per === 'request',
  };
}

/** Clouds bill a response to its end. */
function isAtCloud(entry: ModelEntry, providers: ReadonlyMap<string, ProviderEntry>): boolean {
  return entry.deployments.some(({ provider }) => CLOUD_SCHEMES.has(providers.get(provider)?.auth ?? ''));
}

function toLimits(limits: ModelEntry['limits']): ModelLimits | undefined {
  if (limits === undefined) return undefined;
  return {
    requestsPerMinute: optionalCount(limits.requests_per_minute),
    tokensPerMinute: optionalCount(limits.tokens_per_minute),
  };
}

function optionalCount(count: number | undefined): bigint | undefined {
  return count === undefined ? undefined : BigInt(count);
}

function toDeployment(
  model: ModelEntry,
  entry: DeploymentEntry,
  providers: ReadonlyMap<string, ProviderEntry>,
): Deployment {
  const own = credentialsOf(entry);
  const provider = providers.get(entry.provider);
  const shared = credentialsOf(provider ?? {});
  return {
    deploymentId: deploymentId(model.id, entry),
    providerId: entry.provider,
    upstreamModel: entry.model ?? model.id,
    weight: entry.weight,
    priority: entry.priority,
    credentials: (own.length > 0 ? own : shared).map(toCredentialReference),
    inRotation: true,
    priceMultiplierPpm: priceMultiplier(entry, provider),
    parameters: toParameters(
      mergeParameters(
        entry.parameters,
        model.parameters,
        provider?.parameters,
        provider && dialectParameters(provider),
      ),
    ),
    clientProtocols: [...new Set(entry.protocols ?? [])].map((protocol) => PROTOCOL_OF[protocol]),
  };
}

function toCredentialReference(entry: CredentialEntry): CredentialReference {
  if (entry.env !== undefined) return { source: { $case: 'environmentVariable', value: entry.env } };
  return { source: { $case: 'file', value: entry.file ?? '' } };
}
