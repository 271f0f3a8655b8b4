import { Calls } from './api/calls.ts';
import { Faults } from './api/faults.ts';
import { IdempotencyKeys } from './api/idempotency.ts';
import { Control } from './control/control.ts';
import { type Clock, SystemClock } from './state/clock.ts';
import { Ids } from './state/ids.ts';
import { World } from './state/world.ts';
import { Outbox, type Webhook } from './webhooks/outbox.ts';

export interface DependencyOptions {
  /** The only key that the API accepts; undefined for any test key. */
  secretKey?: string | undefined;
  /** Undefined: events are sent nowhere. */
  webhook?: Webhook | undefined;
  clock?: Clock | undefined;
  /** With a seed, ids are the same in every run. */
  seed?: string | undefined;
  /** Whether HTTP serves the controls. */
  hasControl?: boolean | undefined;
  /** Called with errors of the simulator itself. */
  onError: (error: unknown) => void;
}

/** Dependencies of the handlers. */
export interface Dependencies {
  world: World;
  calls: Calls;
  faults: Faults;
  keys: IdempotencyKeys;
  outbox: Outbox;
  control: Control;
  secretKey: string | undefined;
  hasControl: boolean;
  onError: (error: unknown) => void;
}

export function createDependencies(options: DependencyOptions): Dependencies {
  const { clock = new SystemClock(), seed, secretKey, webhook, hasControl = false, onError } = options;
  const world = new World(clock, new Ids(seed));
  const outbox = new Outbox(clock, webhook, onError);
  world.onEvent = (event) => outbox.add(event);
  const calls = new Calls();
  const faults = new Faults();
  const keys = new IdempotencyKeys(clock);
  const control = new Control(world, outbox, calls, faults);
  return { world, calls, faults, keys, outbox, control, secretKey, hasControl, onError };
}
