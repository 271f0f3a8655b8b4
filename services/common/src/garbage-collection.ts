import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const CHECK_INTERVAL_MS = 20_000;
/** Growth since the last collection that is worth another one. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024;
/** Share of the time between two checks that an idle process may be busy, with heartbeats and polls for instance. */
const IDLE_UTILIZATION = 0.05;

export interface CollectionOptions {
  /** Memory that the process uses. */
  memory?: () => number;
  /** The share of the time since the last call in which the event loop was busy. */
  utilization?: () => number;
  collect?: () => void;
  /** Lets V8 collect to return memory, or only to make room. */
  setMemoryReducer?: (isEnabled: boolean) => void;
}

/**
 * Collects garbage whenever the process is idle and its memory has grown: V8 collects only when it allocates, and keeps
 * what it needed at the start and under load. A collection stops the process for some 40 ms.
 *
 * V8's memory reducer runs only while the process is idle. Its collections free the hidden classes that no object has at the
 * moment, and with them the optimized code that expects them. At a low rate, most requests find no other in progress:
 * each collection then discards nearly all optimized code, and requests cost half as much again until it is compiled anew.
 *
 * @returns stops it
 */
export function collectWhenIdle({
  memory = process.memoryUsage.rss,
  utilization = loopUtilization(),
  collect = collectGarbage,
  setMemoryReducer = setMemoryReducerOfV8,
}: CollectionOptions = {}): () => void {
  let lowest = 0;
  const check = () => {
    const isIdle = utilization() <= IDLE_UTILIZATION;
    setMemoryReducer(isIdle);
    const now = memory();
    // V8 returns what a collection freed to the system some seconds later.
    lowest = Math.min(lowest, now);
    if (!isIdle || now < lowest + MIN_GROWTH_BYTES) return;
    lowest = now;
    collect();
  };
  setMemoryReducer(false);
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

function loopUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** V8's own function, which Node.js exposes only with a flag. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
}

/** The number of collections that the memory reducer may make after one of V8's own; 2 is V8's default. */
function setMemoryReducerOfV8(isEnabled: boolean): void {
  setFlagsFromString(`--memory-reducer-gc-count=${isEnabled ? 2 : 0}`);
}
