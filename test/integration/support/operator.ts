import { ApiClient } from '@tollgate/console/testing/api-client';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';

/** The console's API, as a program of the operators calls it. */
export function operatorOf(gateway: Gateway): ApiClient {
  const { console } = gateway.stack.facts;
  if (console === undefined) throw new Error('the gateway runs without a console');
  return new ApiClient(console.url, { managementKey: console.management_key });
}
