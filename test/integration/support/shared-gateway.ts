import { type GatewayOptions, startGateway } from '@tollgate/test-support/gateway/gateway';
import { it } from 'vitest';

/** Two ingresses, because limits of an account hold at all of them, and a console, where operators look. */
const USUAL: GatewayOptions = { ingresses: 2, console: true };

/**
 * A gateway with the usual settings, for `withGateway.beforeAll(({ gateway }) => …)`. Test files of one worker share
 * it: they create their own accounts, stop none of its processes, change no shared part of its catalogue, and do not
 * rely on its state.
 */
export const withGateway = it
  .extend('options', { scope: 'worker' }, USUAL)
  .extend('gateway', { scope: 'worker' }, async ({ options }, { onCleanup }) => {
    const gateway = await startGateway(options);
    onCleanup(() => gateway.stop());
    return gateway;
  });
