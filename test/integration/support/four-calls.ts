import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';

/** An account with two keys and four calls to look up. */
export interface FourCalls {
  account: Account;
  secondKey: { key: string; keyId: string };
  /**
   * Oldest first: `small` with 5 input tokens, 3 cached ones and 10 of output; `odd` with 8 and 3; `small` streamed with
   * the second key, 8 and 20; and one that failed.
   */
  responses: WireResponse[];
}

export async function makeFourCalls(gateway: Gateway, balanceNanos: bigint): Promise<FourCalls> {
  const account = await gateway.accounts.create(balanceNanos);
  const secondKey = await gateway.accounts.createKey(account.accountId, { name: 'second' });
  const call = (key: string, model: string, controls: Record<string, unknown>, fields: object = {}) =>
    gateway.chat(key, { model, messages: say('Hi'), ...fields, ...simulate(controls) });
  const responses = [
    await call(account.key, 'small', { output_tokens: 10, cached_tokens: 3 }),
    await call(account.key, 'odd', { output_tokens: 3 }),
    await call(secondKey.key, 'small', { output_tokens: 20 }, { stream: true }),
    await call(account.key, 'breakable-1', { fail: 500 }),
  ];
  return { account, secondKey, responses };
}
