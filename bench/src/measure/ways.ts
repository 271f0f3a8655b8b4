import type { Way } from '../load/messages.ts';

/** The ways to the upstream that are compared: through the gateway, through the bare proxy, and straight. */
export type WayName = 'tollgate' | 'proxy' | 'upstream';

/** A process whose CPU time is reported. */
export interface Metered {
  name: string;
  pid: number;
  /** Works in child processes too. */
  withChildren?: boolean;
  /** Ours, so that its time counts towards the figure; others are reported next to it. */
  counts: boolean;
}

export interface MeasuredWay {
  name: WayName;
  way: Way;
  processes: Metered[];
}
