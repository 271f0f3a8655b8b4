import type { Random } from '@tollgate/test-support/random/random';
import { NAMES } from './processes.ts';
import type { World } from './world.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TIMES = [SECOND_MS, 60 * SECOND_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS, 4 * DAY_MS] as const;
const PATHS = ['/v1/checkout/sessions', '/v1/customers', '/v1/refunds', '/v1/payment_intents', '/v1/charges'] as const;
const FAULTS = ['lose_request', 'lose_response', 'recorded_error', 'status'] as const;

/** Maximum time that a killed process stays down. */
const MAX_DOWN_MS = 400;

export interface Disturbances {
  /** One in so many times a process dies, unless it is dead. */
  killOneIn: number;
  /** One in so many times time passes. */
  passOneIn: number;
}

/** Does something to the network, to events, to time or to a process. */
export async function disturb(world: World, random: Random, { killOneIn, passOneIn }: Disturbances): Promise<void> {
  world.catchUp();
  if (random.below(killOneIn) === 0) return world.crash(random.pick(NAMES), random.below(MAX_DOWN_MS));
  if (random.below(passOneIn) === 0) return passSome(world, random.pick(TIMES));
  const { control } = world;
  switch (random.below(5)) {
    case 0: {
      const kind = random.pick(FAULTS);
      const fault = kind === 'status' ? { kind, status: random.pick([429, 500, 503]) } : { kind };
      return control.fail(fault, { path: random.pick(PATHS), times: random.between(1, 4) });
    }
    case 1:
      return control.holdWebhooks();
    case 2:
      return control.resumeWebhooks();
    case 3: {
      // Out of order, late, or once more.
      const events = control.events();
      const event = events[random.below(events.length)];
      if (event !== undefined) await control.deliver(event.id);
      return;
    }
    default: {
      const waiting = control.waitingEvents();
      const lost = waiting[random.below(waiting.length)];
      if (lost !== undefined) control.drop(lost.id);
    }
  }
}

async function passSome(world: World, ms: number): Promise<void> {
  if (ms >= HOUR_MS) await world.passHours(ms);
  else world.pass(ms);
}
