import { openFilesLimit } from '../machine/describe.ts';
import type { Setup } from '../parts/setup.ts';
import { LOOKUPS_PER_SECOND, MEMORY_STREAMS, type Plan, STREAM, WHOLE } from '../plan.ts';
import { median } from '../stats/quantile.ts';
import { type LoopRound, measureLoop } from './closed-loop.ts';
import { type EventRound, measureEvents } from './events.ts';
import { type FirstByteRound, measureFirstByte } from './first-byte.ts';
import { type LookupRound, measureLookup } from './lookup.ts';
import { type Memory, measureMemory } from './memory.ts';
import { inTurn, type Rounds } from './rounds.ts';
import { type LongestTurns, measureTurns } from './turns.ts';

/** Code that was compiled for one kind of request is compiled again when the other comes, so they take turns. */
const WARM_UP_TURNS = 4;

/** Everything measured in one run. */
export interface Measurements {
  buffered: Rounds<LoopRound>;
  stream: Rounds<LoopRound>;
  events: Rounds<EventRound>;
  /** Events of streams whose clients speak another protocol than the upstream, next to the proxy's of the same protocol. */
  translated: Rounds<EventRound>;
  firstByte: Rounds<FirstByteRound>;
  /** Requests each second, of time to first byte and of lookups: half of what the closed loop came to. */
  firstByteRate: number;
  lookups: LookupRound[];
  memory: { streams: number; tollgate: Memory; proxy: Memory };
  /** While large bodies come in. */
  longestTurns: LongestTurns;
  /** Spans received for each request of the closed loops; fewer than the services make would mean that some were lost. */
  spansPerRequest: number;
}

/** Measures one thing after the other. @param report is given what is measured now, for humans */
export async function measureAll(setup: Setup, plan: Plan, report: (text: string) => void): Promise<Measurements> {
  const { load, ways, sink } = setup;
  const all = [ways.tollgate, ways.proxy, ways.upstream];

  const streams = Math.min(MEMORY_STREAMS, Math.floor((openFilesLimit() - 200) / 2));
  report(`memory, idle and with ${streams} open streams`);
  const memory = {
    streams,
    tollgate: await measureMemory(load, ways.tollgate, setup.ingressPid, streams),
    proxy: await measureMemory(load, ways.proxy, setup.proxyPid, streams),
  };

  report('warming up');
  for (const way of all) {
    const durationMs = way.name === 'tollgate' ? plan.warmUpMs : plan.smallWarmUpMs;
    for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) {
      for (const ask of [WHOLE, STREAM]) await measureLoop(load, way, ask, durationMs / WARM_UP_TURNS / 2);
    }
  }

  report(`whole answers, ${plan.wholeRounds} rounds`);
  const spansBefore = await sink.spans();
  const buffered = await inTurn(all, plan.wholeRounds, (way) => measureLoop(load, way, WHOLE, plan.loopMs));
  report(`short streams, ${plan.streamRounds} rounds`);
  const stream = await inTurn(all, plan.streamRounds, (way) => measureLoop(load, way, STREAM, plan.loopMs));
  const spans = (await sink.spans()) - spansBefore;

  const firstByteRate = median(stream.tollgate.map((round) => round.perSecond)) / 2;
  report(`time to first byte at half load, ${plan.firstByteRounds} rounds`);
  const firstByte = await inTurn(all, plan.firstByteRounds, (way, round) =>
    measureFirstByte(load, way, STREAM, { ratePerSecond: firstByteRate, durationMs: plan.firstByteMs, round }),
  );

  report(`from the end of an answer to its charge found, ${plan.lookupRounds} rounds`);
  const lookups: LookupRound[] = [];
  for (let round = 0; round < plan.lookupRounds; round += 1) {
    const options = { ratePerSecond: firstByteRate, lookupsPerSecond: LOOKUPS_PER_SECOND, durationMs: plan.lookupMs };
    lookups.push(await measureLookup(load, ways.tollgate, STREAM, { ...options, round }));
  }

  report(`events of running streams, ${plan.eventRounds} rounds`);
  const events = await inTurn([ways.tollgate, ways.proxy], plan.eventRounds, (way) =>
    measureEvents(load, way, plan.eventMs, 'openai-chat'),
  );
  report(`events of running translated streams, ${plan.eventRounds} rounds`);
  const translated = await inTurn([ways.tollgate, ways.proxy], plan.eventRounds, (way) =>
    measureEvents(load, way, plan.eventMs, way.name === 'tollgate' ? 'anthropic-messages' : 'openai-chat'),
  );
  report('turns of the event loop, with large bodies');
  const longestTurns = await measureTurns(load, ways.tollgate);
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
