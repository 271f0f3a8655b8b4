import type { Span } from '@opentelemetry/api';
import type { Hold } from '../credit/index.ts';
import type { AuthenticatedKey, RequestContext, TollgateResponse } from '../http/request-context.ts';
import type { RoutableModel, Route } from '../model-routing/route-table.ts';
import type { RequestPrice } from '../pricing/request-price.ts';
import type { Redact } from '../upstream/redaction.ts';
import type { ClientPresence } from './client-presence.ts';

/** One paid call from its hold to its charge. */
export interface Exchange {
  context: RequestContext;
  key: AuthenticatedKey;
  entry: RoutableModel;
  /** What it pays, settled when it started. */
  price: RequestPrice;
  /** Images of its input. */
  images: number;
  /** The model name the client used: an alias stays an alias in answers. */
  clientModel: string;
  hold: Hold;
  client: ClientPresence;
  res: TollgateResponse;
  /** What is done, in the words of the GenAI conventions. */
  operation: 'chat' | 'embeddings';
  /** The client's protocol by name. */
  protocolIn: string;
  streamed: boolean;
  /** Counts the input's tokens, for usage that the upstream does not report. */
  countInput: () => Promise<number>;
  /** Tokens of the input at most, as its hold was computed: no estimate goes beyond. */
  mostInputTokens: number;
  /** Output tokens that the upstream is allowed at most, of all choices together: no estimate goes beyond. */
  mostOutputTokens: number;
}

/** One upstream call made for an exchange. */
export interface Attempt {
  route: Route;
  span: Span;
  /** Unix milliseconds. */
  startedAtMs: number;
  /** Calls made before this one. */
  retries: number;
  /** Bytes of the body that the upstream is sent. */
  bodyBytes: number;
  /** Takes the credentials and the address of the upstream out of what it said. */
  redact: Redact;
}
