import { Modality } from '@tollgate/proto/router';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import type { RequestBound } from '@tollgate/protocols/request/bound';
import { priceAt } from '../../shared/catalogue/price-sheet.ts';
import {
  isServed,
  modalityName,
  type RoutableModel,
  type RouteTable,
  servedTo,
} from '../../shared/catalogue/route-table.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { keyOf, type RequestContext } from '../../shared/request/request-context.ts';
import type { HostedTerms } from '../quote/hosted-bound.ts';
import { findModel, requireProtocol } from '../routing/find-routes.ts';
import { hostedTermsOf, policyWith } from './sent-limits.ts';

/** A request's model, and the hosted tools that it prices. */
export interface SelectedModel {
  entry: RoutableModel;
  /** Undefined: none of the request may be passed on. */
  hosted: HostedTerms | undefined;
}

/** A request that its model accepts. */
export interface CheckedRequest extends SelectedModel {
  bound: RequestBound;
}

/**
 * Checks a parsed request against the catalogue: the model and its capabilities, and fields that the gateway does not allow.
 * Throws an ApiError that names the field.
 */
export function checkRequest(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  context: RequestContext,
): CheckedRequest {
  const { entry, hosted } = selectModel(request, protocol, table, context);
  const bound = request.bound(entry.facts);
  requireModalities(entry, bound);
  return { entry, hosted, bound };
}

/**
 * Selects the model of a parsed request, with the checks that also apply when its tokens are only counted. Throws an
 * ApiError that names the field.
 */
export function selectModel(
  request: ClientRequest,
  protocol: ProtocolName,
  table: RouteTable,
  context: RequestContext,
): SelectedModel {
  const found = findModel(request.model, table, keyOf(context));
  requireProtocol(found, request.model, protocol);
  const entry = servedTo(found, protocol);
  if (!isServed(entry)) throw apiErrors.modelNotAvailable(request.model);
  const hosted = hostedTermsOf(request, protocol, entry, context.startedAtMs);
  const [violation] = policyWith(request, hosted?.uses).errors;
  if (violation !== undefined) throw apiErrors.invalidField(violation.message, violation.details);
  requirePrices(entry, request, context.startedAtMs);
  return { entry, hosted };
}

/**
 * Accepts options and cache lifetimes that the price in force has. Options that leave the choice to the provider are always
 * accepted.
 */
function requirePrices({ prices }: RoutableModel, { policy }: ClientRequest, startedAtMs: number): void {
  const { options: chosen, cacheWrites = [] } = policy;
  if (chosen.length === 0 && cacheWrites.length === 0) return;
  const { options, tiers } = priceAt(prices, startedAtMs);
  const unpriced = cacheWrites.find(({ bucket }) => !tiers[0].rates.has(bucket));
  if (unpriced !== undefined) {
    throw apiErrors.invalidField(`${unpriced.path}: the model has no price for this lifetime; remove it`);
  }
  for (const { name, value, path, isOpen, listed } of chosen) {
    const priced = options.get(name);
    if (isOpen || priced?.has(value) === true) continue;
    const known = [...listed, ...(priced?.keys() ?? [])].map((one) => JSON.stringify(one));
    const last = known.pop();
    const text = known.length === 0 ? `${last} is` : `${known.join(', ')} and ${last} are`;
    throw apiErrors.invalidField(`${path}: only ${text} supported; remove it`);
  }
}

const MODALITIES = { text: Modality.TEXT, image: Modality.IMAGE, audio: Modality.AUDIO, file: Modality.FILE } as const;

function requireModalities(entry: RoutableModel, bound: RequestBound): void {
  for (const modality of bound.modalities) {
    if (entry.inputModalities.has(MODALITIES[modality])) continue;
    const accepted = entry.model.inputModalities.map(modalityName).join(', ');
    throw apiErrors.invalidRequest(
      `The model '${entry.model.modelId}' accepts only ${accepted} input, and the request has ${modality} input.`,
    );
  }
}
