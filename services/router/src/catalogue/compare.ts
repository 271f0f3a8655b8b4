import {
  AUTH_SCHEME_NAMES,
  BUCKET_NAMES,
  MODALITY_NAMES,
  PROTOCOL_NAMES,
  REQUEST_FORM_NAMES,
} from '@tollgate/common/catalogue-names';
import { formatDollars, formatFactor } from '@tollgate/common/money';
import {
  type CatalogueChange,
  type CredentialReference,
  type Deployment,
  DisconnectPolicy,
  type Model,
  type Price,
  type Provider,
  type Rate,
  type WebTools,
} from '@tollgate/proto/router';
import { cloudText } from './cloud.ts';
import { betasText, parametersText } from './compare-parameters.ts';
import { FULL_PPM } from './rate.ts';
import type { Routes } from './to-routes.ts';

/** Display texts by field, such as `price.input`. */
type Fields = Map<string, string>;

/**
 * What differs between two catalogues, in the order of the second; what it no longer has follows. Changes of providers have
 * no model.
 */
export function compareCatalogues(before: Routes, after: Routes): CatalogueChange[] {
  const providers = compareFields('', providerFields(before.providers), providerFields(after.providers));
  return [...providers, ...compareModels(before.models, after.models)];
}

function compareModels(before: readonly Model[], after: readonly Model[]): CatalogueChange[] {
  const known = new Map(before.map((model) => [model.modelId, model]));
  const changes = after.flatMap((model) => {
    const { modelId } = model;
    const earlier = known.get(modelId);
    if (earlier === undefined) return [{ modelId, field: 'model', before: '', after: model.displayName }];
    return compareFields(modelId, modelFields(earlier), modelFields(model));
  });
  const kept = new Set(after.map(({ modelId }) => modelId));
  const removed = before.filter(({ modelId }) => !kept.has(modelId));
  return [
    ...changes,
    ...removed.map(({ modelId, displayName }) => ({ modelId, field: 'model', before: displayName, after: '' })),
  ];
}

function compareFields(modelId: string, before: Fields, after: Fields): CatalogueChange[] {
  const names = new Set([...after.keys(), ...before.keys()]);
  return [...names].flatMap((field) => {
    const [old = '', now = ''] = [before.get(field), after.get(field)];
    return old === now ? [] : [{ modelId, field, before: old, after: now }];
  });
}

function modelFields(model: Model): Fields {
  const fields: Fields = new Map([
    ['enabled', String(model.enabled)],
    ['display_name', model.displayName],
    ['description', model.description],
    ['owned_by', model.ownedBy],
    ['aliases', model.aliases.join(', ')],
    ['protocols', model.protocols.map((protocol) => PROTOCOL_NAMES[protocol]).join(', ')],
    ['input', model.inputModalities.map((modality) => MODALITY_NAMES[modality]).join(', ')],
    ['output', model.outputModalities.map((modality) => MODALITY_NAMES[modality]).join(', ')],
    ['context_window', String(model.contextWindow)],
    ['max_output_tokens', String(model.maxOutputTokens)],
    ['limits.requests_per_minute', model.limits?.requestsPerMinute?.toString() ?? ''],
    ['limits.tokens_per_minute', model.limits?.tokensPerMinute?.toString() ?? ''],
    ['tokens_per_message', String(model.tokensPerMessage)],
    ['tokens_per_request', String(model.tokensPerRequest)],
    ['max_tokens_per_image', String(model.maxTokensPerImage)],
    ['web_tools', webToolsText(model.webTools)],
    ['on_disconnect', model.disconnectPolicy === DisconnectPolicy.DRAIN ? 'drain' : 'abort'],
  ]);
  for (const price of model.prices) addPrice(fields, price);
  for (const deployment of model.deployments) {
    fields.set(`deployments.${deployment.deploymentId}`, deploymentText(deployment));
    fields.set(`deployments.${deployment.deploymentId}.parameters`, parametersText(deployment.parameters));
    const protocols = deployment.clientProtocols.map((protocol) => PROTOCOL_NAMES[protocol]).join(', ');
    fields.set(`deployments.${deployment.deploymentId}.protocols`, protocols);
  }
  return fields;
}

function webToolsText(webTools: WebTools | undefined): string {
  if (webTools === undefined) return '';
  const { maxSearches, maxFetches, maxTokensPerUse, maxOwnSearches, billedPerRequest } = webTools;
  const tokens = maxTokensPerUse === 0n ? 'the context window' : `${maxTokensPerUse} tokens`;
  const parts = [`${maxSearches} searches`, `${maxFetches} fetches`, `each up to ${tokens}`];
  return [...parts, `${maxOwnSearches} of its own`, `billed per ${billedPerRequest ? 'request' : 'search'}`].join(', ');
}

/** Prices are compared by the time from which they apply. */
function addPrice(fields: Fields, price: Price): void {
  const from = Number(price.effectiveFromMs);
  const name = from === 0 ? 'price' : `price from ${new Date(from).toISOString()}`;
  addRates(fields, name, price.rates);
  for (const tier of price.tiers) addRates(fields, `${name}.above_${tier.aboveInputTokens}`, tier.rates);
  for (const option of price.options) {
    const place = `${name}.options.${option.name}.${option.value}`;
    if (option.multiplierPpm > 0n) fields.set(`${place}.multiplier`, formatFactor(option.multiplierPpm));
    addRates(fields, place, option.rates);
    for (const tier of option.tiers) addRates(fields, `${place}.above_${tier.aboveInputTokens}`, tier.rates);
  }
}

function addRates(fields: Fields, name: string, rates: readonly Rate[]): void {
  for (const { bucket, nanosPerMillion } of rates) {
    fields.set(`${name}.${BUCKET_NAMES[bucket]}`, formatDollars(nanosPerMillion));
  }
}

function deploymentText({
  providerId,
  upstreamModel,
  weight,
  priority,
  credentials,
  priceMultiplierPpm,
}: Deployment): string {
  const parts = [`${upstreamModel} at ${providerId}`, `weight ${weight}`, `priority ${priority}`];
  if (priceMultiplierPpm !== FULL_PPM) parts.push(`prices times ${formatFactor(priceMultiplierPpm)}`);
  return [...parts, ...credentials.map(credentialText)].join(', ');
}

/** Where a credential is read, never its value. */
function credentialText({ source }: CredentialReference): string {
  if (source === undefined) return '';
  switch (source.$case) {
    case 'environmentVariable':
      return `credential $${source.value}`;
    case 'file':
      return `credential ${source.value}`;
    default:
      return source satisfies never;
  }
}

function providerFields(providers: readonly Provider[]): Fields {
  return new Map(
    providers.flatMap((provider): [string, string][] => {
      const { connectMs, firstByteMs, idleMs, totalMs } = provider.timeouts ?? {};
      const name = `providers.${provider.providerId}`;
      return [
        [`${name}.protocol`, PROTOCOL_NAMES[provider.protocol]],
        [`${name}.base_url`, provider.baseUrl],
        [`${name}.auth`, AUTH_SCHEME_NAMES[provider.authScheme]],
        [`${name}.simulated`, String(provider.simulated)],
        [
          `${name}.headers`,
          Object.entries(provider.headers)
            .map((header) => header.join(': '))
            .join(', '),
        ],
        [`${name}.cloud`, cloudText(provider.cloud)],
        [`${name}.request_form`, REQUEST_FORM_NAMES[provider.requestForm]],
        [`${name}.betas`, betasText(provider.betas)],
        [`${name}.timeouts`, [connectMs, firstByteMs, idleMs, totalMs].map((ms) => `${ms} ms`).join(', ')],
      ];
    }),
  );
}
