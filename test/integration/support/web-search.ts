import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { lineNanos } from '@tollgate/test-support/gateway/money';

export const DOLLAR = 1_000_000_000n;

/** Calls of one protocol to models `web-…`, whose providers search the web and fetch pages. */
export interface WebSearchCalls {
  account: Account;
  post(path: string, body: object, key?: string): Promise<WireResponse>;
  /** The body that the provider got for a response. */
  sent(response: Pick<WireResponse, 'headers'>): unknown;
  recordFor(response: Pick<WireResponse, 'headers'>, owner?: Account): Promise<unknown>;
}

export async function webSearchCalls(gateway: Gateway): Promise<WebSearchCalls> {
  const account = await gateway.accounts.create(50n * DOLLAR);
  return {
    account,
    post: (path, body, key = account.key) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return send(gateway.baseUrl, { method: 'POST', path, headers, body: JSON.stringify(body) });
    },
    sent: ({ headers }) => {
      const [call] = gateway.simulator.recorder.list(String(headers['x-trace-id']).replaceAll('-', ''));
      return JSON.parse(call?.body ?? '');
    },
    recordFor: ({ headers }, owner = account) => recordOf(gateway, owner, headers['x-request-id']),
  };
}

/** The bill of a model `web-…`, by the tests' own arithmetic. */
export function bill(used: { input: number; output: number; searches: number }): bigint {
  return (
    lineNanos(used.input, RATES.web.input) +
    lineNanos(used.output, RATES.web.output) +
    lineNanos(used.searches, RATES.web.search)
  );
}
