import type { ReadRoute } from './queries.ts';

/** Undefined before the app runs: unit tests have no tabs. */
let channel: BroadcastChannel | undefined;

/** Hears of changes in other tabs of this browser: the routes whose results may have changed. */
export function hearOtherTabs(onChange: (routes: readonly ReadRoute[]) => void): void {
  channel = new BroadcastChannel('tollgate changes');
  channel.onmessage = ({ data }: MessageEvent<readonly ReadRoute[]>) => onChange(data);
}

/** Tells the other tabs. */
export function tellOtherTabs(routes: readonly ReadRoute[]): void {
  channel?.postMessage(routes);
}
