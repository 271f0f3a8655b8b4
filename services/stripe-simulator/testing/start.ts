import { listen, stopListening } from '@tollgate/common/http-server';
import type { Control } from '../src/control/control.ts';
import { createDependencies } from '../src/dependencies.ts';
import { createServer } from '../src/server.ts';
import { TestClock } from '../src/state/clock.ts';
import type { Webhook } from '../src/webhooks/outbox.ts';

export interface StripeSimulatorOptions {
  /** Where events are sent. Default: nowhere. */
  webhook?: Webhook | undefined;
  /** The only key that the API accepts. Default: any test key. */
  secretKey?: string | undefined;
  /** With a seed, ids are the same in every run. */
  seed?: string | undefined;
  /** Time of the clock at the start, in milliseconds. Default: now. Only `control.advance` moves it. */
  now?: number | undefined;
  /** Whether HTTP serves the controls too. */
  hasControl?: boolean | undefined;
}

export interface StripeSimulator {
  /** Origin, such as `http://127.0.0.1:8092`, without a trailing slash. */
  url: string;
  host: string;
  port: number;
  control: Control;
  stop: () => Promise<void>;
}

const HOST = '127.0.0.1';

/** Starts the simulated Stripe in this process, with a clock that only `control.advance` moves. */
export async function startStripeSimulator(options: StripeSimulatorOptions = {}): Promise<StripeSimulator> {
  const { now = Date.now(), ...others } = options;
  const errors: unknown[] = [];
  const clock = new TestClock(now);
  const dependencies = createDependencies({ ...others, clock, onError: (error) => errors.push(error) });
  const server = createServer(dependencies);
  const port = await listen(server, HOST, 0);
  const url = `http://${HOST}:${port}`;
  dependencies.world.origin = url;
  return {
    url,
    host: HOST,
    port,
    control: dependencies.control,
    stop: async () => {
      dependencies.faults.release();
      clock.stop();
      await dependencies.outbox.stop();
      await stopListening(server, { lingerMs: 0, graceMs: 0 });
      if (errors.length > 0) throw new AggregateError(errors, 'the simulated Stripe failed');
    },
  };
}
