import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import type { IngressConfig } from '../config.ts';
import type { CreditManager } from '../credit/index.ts';
import { keyOf, type TollgateResponse } from '../http/request-context.ts';
import type { RoutableModel } from '../model-routing/route-table.ts';
import { priceOfRequest } from '../pricing/request-price.ts';
import { ClientConnection } from './client-connection.ts';
import type { Exchange } from './exchange.ts';
import { type GrantedHold, type HoldTerms, takeHold } from './take-hold.ts';

/** A checked request for which credit is to be held. */
export interface PaidRequest
  extends Pick<Exchange, 'entry' | 'clientModel' | 'operation' | 'protocolIn' | 'streamed' | 'countInput'>,
    Omit<HoldTerms, 'key' | 'price' | 'rechargeUrl' | 'startedAtMs' | 'signal'> {
  entry: RoutableModel;
  /** What it chooses at another price than the list price. */
  options: readonly RequestedOption[];
}

export interface OpenedExchange {
  exchange: Exchange;
  granted: GrantedHold;
}

/**
 * Holds the maximum cost of a request and opens its exchange.
 *
 * @returns undefined when the client has disconnected
 * @throws ApiError as `takeHold` does
 */
export async function openExchange(
  { credit, config }: { credit: CreditManager; config: Pick<IngressConfig, 'RECHARGE_URL'> },
  res: TollgateResponse,
  request: PaidRequest,
): Promise<OpenedExchange | undefined> {
  const { entry, clientModel, operation, protocolIn, streamed, countInput, options, ...terms } = request;
  const { context } = res.locals;
  const key = keyOf(context);
  const client = new ClientConnection(res);
  const price = priceOfRequest(entry.prices, context.startedAtMs, key.discountPpm, {
    options,
    multipliersPpm: entry.routes.map((route) => route.priceMultiplierPpm),
  });
  const granted = await takeHold(credit, {
    ...terms,
    key,
    price,
    rechargeUrl: config.RECHARGE_URL,
    startedAtMs: context.startedAtMs,
    signal: client.signal,
  });
  if (granted === undefined) return undefined;
  const exchange: Exchange = {
    context,
    key,
    entry,
    price,
    images: terms.images,
    clientModel,
    hold: granted.hold,
    client,
    res,
    operation,
    protocolIn,
    streamed,
    countInput,
    maxInputTokens: granted.maxInputTokens,
    maxSearches: granted.maxSearches,
    billsSearchesOnce: entry.model.webTools?.billedPerRequest ?? false,
    usesWebTools: Object.keys(granted.webUses).length > 0,
    maxOutputTokens: (granted.outputTokens ?? terms.outputTokens) * terms.choices + terms.extraOutputTokens,
  };
  return { exchange, granted };
}
