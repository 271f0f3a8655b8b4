import { newToken } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import { chargedNanos } from './charge.ts';
import type { Exchange } from './exchange.ts';

/** What the protocols need to write the response of an exchange. */
export function responseContextOf(exchange: Exchange): ResponseContext {
  return {
    model: exchange.clientModel,
    created: Math.floor(exchange.context.startedAtMs / 1_000),
    now: () => Math.floor(Date.now() / 1_000),
    newId: newToken,
    costOf: (usage) => formatDollars(chargedNanos(exchange, usage)),
  };
}
