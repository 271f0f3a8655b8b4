import { type GatewayOptions, startGateway } from '@tollgate/test-support/gateway/gateway';
import { it } from 'vitest';

/** Two ingresses, as what holds for an account holds at all of them. */
const USUAL: GatewayOptions = { ingresses: 2 };

/**
 * A gateway of the usual settings, for `withGateway.beforeAll(({ gateway }) => …)`. Files that run in the same worker,
 * one after the other, get the same one: they make accounts of their own, end none of its processes, change nothing of
 * its catalogue that others use, and take nothing for granted of what others have done to it.
 */
export const withGateway = it
  .extend('options', { scope: 'worker' }, USUAL)
  .extend('gateway', { scope: 'worker' }, async ({ options }, { onCleanup }) => {
    const gateway = await startGateway(options);
    onCleanup(() => gateway.stop());
    return gateway;
  });
