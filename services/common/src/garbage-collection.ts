const CHECK_INTERVAL_MS = 20_000;
/** Growth since the last collection that is worth another one. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024;
/**
 * Share of the time between two checks that an idle process may be busy, with heartbeats and polls for instance. A ledger that
 * settles 500 charges a second is busy for 3 to 5 %.
 */
const IDLE_UTILIZATION = 0.025;

export interface CollectionOptions {
  /** Memory that the process uses. */
  memory?: () => number;
  /** The share of the time since the last call in which the event loop was busy. */
  utilization?: () => number;
  collect?: () => void;
}

/**
 * Collects garbage whenever the process is idle and its memory has grown: V8 collects only when it allocates, and keeps
 * what it needed at the start and under load. A busy process is left to V8. A collection stops it for some 90 ms.
 *
 * V8's memory reducer is disabled, which collects when little is allocated, as at a low rate of requests. Like a collection
 * here, it frees the hidden classes that no object has at the moment, and with them the optimized code that expects them.
 * Most requests then find no other in progress, so it discards nearly all optimized code, and a request costs more than twice
 * as much until it is compiled anew.
 *
 * @returns stops it
 */
export function collectWhenIdle({
  memory = process.memoryUsage.rss,
  utilization = loopUtilization(),
  collect = collectGarbage,
}: CollectionOptions = {}): () => void {
  let lowest = 0;
  const check = () => {
    const now = memory();
    // V8 returns what a collection freed to the system some seconds later.
    lowest = Math.min(lowest, now);
    if (utilization() > IDLE_UTILIZATION || now < lowest + MIN_GROWTH_BYTES) return;
    lowest = now;
    collect();
  };
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

/**
 * Collects all garbage, by V8's own function, which `deploy/images/start` exposes. The flavor also frees what V8 keeps for later,
 * such as the code that it has compiled. A process that was started without the function leaves its memory to V8.
 */
export function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
