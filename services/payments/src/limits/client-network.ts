import { createHmac } from 'node:crypto';
import { networkOf } from '@tollgate/common/http/client-network';
import type { PaymentsConfig } from '../config.ts';

/**
 * What stands for the network of a client in the database. Its key is not there, so the addresses cannot be found from a copy. A
 * new key of the payment provider is a new one here too: the limits of networks then start anew.
 */
export function hashNetwork(
  { STRIPE_SECRET_KEY: secret }: Pick<PaymentsConfig, 'STRIPE_SECRET_KEY'>,
  address: string,
): Buffer | undefined {
  if (address === '') return undefined;
  const key = createHmac('sha256', secret).update('client networks').digest();
  return createHmac('sha256', key).update(networkOf(address)).digest();
}
