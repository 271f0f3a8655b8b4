import { setTimeout as delay } from 'node:timers/promises';
import type { Common } from '../parts/common.ts';
import { BESIDE_SLOW_READERS, LARGE_STREAM } from '../scenarios.ts';
import { memoryOf } from './memory.ts';
import { measureRound, type Round } from './round.ts';
import type { MeasuredRoute } from './routes.ts';
import type { RunOptions } from './run.ts';

/** Until all buffers on the way are full. */
const FILL_MS = 3_000;
const SAMPLE_MS = 100;
/** Rounds without and with the readers each. */
const ROUNDS = 2;
/** The gateway cuts a client that takes nothing for a minute; some time more, because it looks for them now and then. */
const CUT_WITHIN_MS = 90_000;

/** Clients that read a byte a second from responses of 100 MB, and the load of others beside them. */
export interface SlowReading {
  readers: number;
  /** Resident bytes of the ingress: before, and the highest while they read. */
  idle: number;
  peak: number;
  /** Bytes that the upstream sent for one of them, those in buffers of the system included. */
  sentEach: number;
  without: Round[];
  with: Round[];
  /** How many the gateway had cut at the end; undefined when the benchmark did not wait for it. */
  cut: number | undefined;
}

/** @throws Error if a reader was refused */
export async function measureSlowReaders(
  gateway: MeasuredRoute,
  { largeUpstream }: Common,
  { load, plan, report }: RunOptions,
): Promise<SlowReading> {
  const readers = plan.slowReaders;
  report(`${readers} clients that read a byte a second`);
  const { route } = gateway;
  const roundsOf = async () => {
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(
        await measureRound(load, gateway, BESIDE_SLOW_READERS, { durationMs: plan.roundMs, round, halfLoad: 0 }),
      );
    return rounds;
  };
  const before = await roundsOf();
  const idle = ingressMemory(gateway);
  const sentBefore = await largeUpstream.bytes();
  const sampler = new PeakSampler(() => ingressMemory(gateway));
  try {
    await load.run({ kind: 'read-slowly', route, spec: LARGE_STREAM, readers });
    await delay(FILL_MS);
    // The same times of requests as without them.
    const beside = await roundsOf();
    const sentEach = ((await largeUpstream.bytes()) - sentBefore) / readers;
    const { requests } = await load.run({ kind: 'stop-reading', afterMs: plan.waitsForCuts ? CUT_WITHIN_MS : 0 });
    const cut = plan.waitsForCuts ? requests : undefined;
    return { readers, idle, peak: sampler.peak(), sentEach, without: before, with: beside, cut };
  } finally {
    sampler.stop();
  }
}

function ingressMemory({ processes }: MeasuredRoute): number {
  return memoryOf(processes)['ingress'] ?? 0;
}

/** Samples a value and keeps the highest. */
class PeakSampler {
  readonly #read: () => number;
  readonly #timer: NodeJS.Timeout;
  #peak = 0;

  constructor(read: () => number) {
    this.#read = read;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  peak(): number {
    this.#sample();
    return this.#peak;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#peak = Math.max(this.#peak, this.#read());
  }
}
