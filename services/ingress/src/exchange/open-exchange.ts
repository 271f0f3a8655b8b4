import type { RequestedOption } from '@tollgate/protocols/canonical/price-options';
import { WEB_TOOL_KINDS } from '@tollgate/protocols/interface/hosted-tools';
import type { IngressConfig } from '../config.ts';
import { priceOfRequest } from '../shared/catalogue/request-price.ts';
import type { RoutableModel } from '../shared/catalogue/route-table.ts';
import { keyOf, type TollgateResponse } from '../shared/request/request-context.ts';
import type { CreditManager } from '../wallet/index.ts';
import { ClientConnection, type Exchange } from './exchange.ts';
import { type GrantedHold, type HoldTerms, takeHold } from './take-hold.ts';

/** A checked request for which credit is to be held. */
export interface PaidRequest
  extends Pick<Exchange, 'entry' | 'clientModel' | 'operation' | 'protocolIn' | 'streamed' | 'countInput'>,
    HoldTerms {
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
  { credit, config }: { credit: CreditManager; config: Pick<IngressConfig, 'CONSOLE_URL' | 'RECHARGE_URL'> },
  res: TollgateResponse,
  request: PaidRequest,
): Promise<OpenedExchange | undefined> {
  const { entry } = request;
  const { context } = res.locals;
  const key = keyOf(context);
  const client = new ClientConnection(res);
  const price = priceOfRequest(entry.prices, context.startedAtMs, key.discountPpm, {
    options: request.options,
    multipliersPpm: entry.multipliersPpm,
  });
  const granted = await takeHold(credit, request, {
    key,
    price,
    rechargeUrl: config.RECHARGE_URL,
    consoleUrl: config.CONSOLE_URL,
    startedAtMs: context.startedAtMs,
    signal: client.signal,
  });
  if (granted === undefined) return undefined;
  const exchange: Exchange = {
    context,
    key,
    entry,
    price,
    images: request.images,
    clientModel: request.clientModel,
    hold: granted.hold,
    client,
    res,
    operation: request.operation,
    protocolIn: request.protocolIn,
    streamed: request.streamed,
    countInput: request.countInput,
    maxInputTokens: granted.maxInputTokens,
    maxSearches: granted.maxSearches,
    billsSearchesOnce: entry.model.webTools?.billedPerRequest ?? false,
    usesWebTools: WEB_TOOL_KINDS.some((kind) => granted.hostedUses[kind] !== undefined),
    maxOutputTokens: (granted.outputTokens ?? request.outputTokens) * request.choices + request.extraOutputTokens,
  };
  return { exchange, granted };
}
