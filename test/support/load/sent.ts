import type { Counted, Model } from './prices.ts';
import type { Protocol } from './read-response.ts';

/**
 * How a request ended for its client. `completed`: the end of the response came. `refused`: an error instead of a response.
 * `failed`: an error within a stream. `broken`: the connection broke. `left`: the client hung up. `unreached`: nobody
 * listened.
 */
export const OUTCOMES = ['completed', 'refused', 'failed', 'broken', 'left', 'unreached'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A request as its client knows it. */
export interface Sent {
  accountId: string;
  /** Name of the ingress it went to. */
  ingress: string;
  protocol: Protocol;
  streamed: boolean;
  /** The official SDK, or HTTP by hand. */
  client: 'sdk' | 'http';
  model: Model;
  /** Milliseconds of this process's clock. */
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** Of the response's head; undefined when none came. */
  status: number | undefined;
  requestId: string | undefined;
  /** The beginning of what was said instead of a response. */
  said: string | undefined;
  /** Tokens as counted by the client, of the output those that reached it. */
  counted: Counted;
  /** Output tokens that were asked of the provider. */
  requested: number;
  /** What the response itself said it cost, in nano-dollars. */
  reported: bigint | undefined;
  /** The most it may cost under any rule. */
  max: bigint;
  /** What went wrong that nothing killed explains. */
  complaint: string | undefined;
}
