import type { Counted, Model } from './prices.ts';
import type { Protocol } from './read-response.ts';

/**
 * How a request ended for its client. `completed`: with a complete response. `rejected`: with an error instead of a
 * response. `failed`: with an error within a stream. `broken`: the connection broke. `disconnected`: the client
 * disconnected. `unreached`: nothing listened.
 */
export const OUTCOMES = ['completed', 'rejected', 'failed', 'broken', 'disconnected', 'unreached'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A request, from its client's view. */
export interface Sent {
  accountId: string;
  /** Name of its ingress. */
  ingress: string;
  protocol: Protocol;
  streamed: boolean;
  /** The official SDK, or plain HTTP. */
  client: 'sdk' | 'http';
  model: Model;
  /** Milliseconds of this process's clock. */
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  /** Status of the response; undefined if none was received. */
  status: number | undefined;
  requestId: string | undefined;
  /** The start of an error response. */
  said: string | undefined;
  /** Tokens as counted by the client: received ones, for the output. */
  counted: Counted;
  /** Output tokens requested of the provider. */
  requested: number;
  /** The cost in the response, in nano-dollars. */
  reported: bigint | undefined;
  /** The maximum cost under any rule. */
  max: bigint;
  /** A fault that no kill explains. */
  complaint: string | undefined;
}
