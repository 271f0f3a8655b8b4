import { openFilesLimit } from '../machine/describe.ts';
import type { Setup } from '../parts/setup.ts';
import { BUFFERED, LOOKUPS_PER_SECOND, MEMORY_STREAMS, type Plan, STREAM } from '../plan.ts';
import { median } from '../stats/quantile.ts';
import { type LoopRound, measureLoop } from './closed-loop.ts';
import { type EventRound, measureEvents } from './events.ts';
import { type FirstByteRound, measureFirstByte } from './first-byte.ts';
import { type LookupRound, measureLookup } from './lookup.ts';
import { type Memory, measureMemory } from './memory.ts';
import { inTurn, type Rounds } from './rounds.ts';
import { type LongestTurns, measureTurns } from './turns.ts';

/** The JIT recompiles code when the kind of request changes, so the kinds alternate. */
const WARM_UP_TURNS = 4;

/** All measurements of a run. */
export interface Measurements {
  buffered: Rounds<LoopRound>;
  stream: Rounds<LoopRound>;
  events: Rounds<EventRound>;
  /** Events of translated streams, next to the proxy's in the same protocol. */
  translated: Rounds<EventRound>;
  firstByte: Rounds<FirstByteRound>;
  /** Requests per second for time to first byte and lookups: half the rate of the closed loop. */
  firstByteRate: number;
  lookups: LookupRound[];
  memory: { streams: number; tollgate: Memory; proxy: Memory };
  /** While large bodies arrive. */
  longestTurns: LongestTurns;
  /** Spans received per request of the closed loops; too few mean that some were lost. */
  spansPerRequest: number;
}

/** Runs all measurements. @param report receives progress messages */
export async function measureAll(setup: Setup, plan: Plan, report: (text: string) => void): Promise<Measurements> {
  const { load, routes, sink } = setup;
  const all = [routes.tollgate, routes.proxy, routes.upstream];

  const streams = Math.min(MEMORY_STREAMS, Math.floor((openFilesLimit() - 200) / 2));
  report(`memory, idle and with ${streams} open streams`);
  const memory = {
    streams,
    tollgate: await measureMemory(load, routes.tollgate, setup.ingressPid, streams),
    proxy: await measureMemory(load, routes.proxy, setup.proxyPid, streams),
  };

  report('warming up');
  for (const route of all) {
    const durationMs = route.name === 'tollgate' ? plan.warmUpMs : plan.smallWarmUpMs;
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) {
      for (const spec of [BUFFERED, STREAM]) await measureLoop(load, route, spec, durationMs / WARM_UP_TURNS / 2);
    }
  }

  report(`buffered responses, ${plan.bufferedRounds} rounds`);
  const spansBefore = await sink.spans();
  const buffered = await inTurn(all, plan.bufferedRounds, (route) => measureLoop(load, route, BUFFERED, plan.loopMs));
  report(`short streams, ${plan.streamRounds} rounds`);
  const stream = await inTurn(all, plan.streamRounds, (route) => measureLoop(load, route, STREAM, plan.loopMs));
  const spans = (await sink.spans()) - spansBefore;

  const firstByteRate = median(stream.tollgate.map((round) => round.perSecond)) / 2;
  report(`time to first byte at half load, ${plan.firstByteRounds} rounds`);
  const firstByte = await inTurn(all, plan.firstByteRounds, (route, round) =>
    measureFirstByte(load, route, STREAM, { ratePerSecond: firstByteRate, durationMs: plan.firstByteMs, round }),
  );

  report(`from the end of an answer to its charge found, ${plan.lookupRounds} rounds`);
  const lookups: LookupRound[] = [];
  for (let round = 0; round < plan.lookupRounds; round += 1) {
    const options = { ratePerSecond: firstByteRate, lookupsPerSecond: LOOKUPS_PER_SECOND, durationMs: plan.lookupMs };
    lookups.push(await measureLookup(load, routes.tollgate, STREAM, { ...options, round }));
  }

  report(`events of running streams, ${plan.eventRounds} rounds`);
  const events = await inTurn([routes.tollgate, routes.proxy], plan.eventRounds, (route) =>
    measureEvents(load, route, plan.eventMs, 'openai-chat'),
  );
  report(`events of running translated streams, ${plan.eventRounds} rounds`);
  const translated = await inTurn([routes.tollgate, routes.proxy], plan.eventRounds, (route) =>
    measureEvents(load, route, plan.eventMs, route.name === 'tollgate' ? 'anthropic-messages' : 'openai-chat'),
  );
  report('turns of the event loop, with large bodies');
  const longestTurns = await measureTurns(load, routes.tollgate);
  const requests = [...buffered.tollgate, ...stream.tollgate].reduce((sum, round) => sum + round.requests, 0);
  return {
    buffered,
    stream,
    events,
    translated,
    firstByte,
    firstByteRate,
    lookups,
    memory,
    longestTurns,
    spansPerRequest: spans / requests,
  };
}
