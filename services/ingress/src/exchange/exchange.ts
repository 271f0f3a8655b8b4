import type { ServerResponse } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Attempt as AttemptRecord } from '@tollgate/proto/ledger';
import type { RequestPrice, SentPrice } from '../shared/catalogue/request-price.ts';
import type { RoutableModel, Route } from '../shared/catalogue/route-table.ts';
import type { AuthenticatedKey, RequestContext, TollgateResponse } from '../shared/request/request-context.ts';
import type { Hold } from '../wallet/index.ts';
import type { Redact } from './credentials/redaction.ts';

/** One paid call, from its hold to its charge. */
export interface Exchange {
  context: RequestContext;
  key: AuthenticatedKey;
  entry: RoutableModel;
  /** Its price, fixed when it started. */
  price: RequestPrice;
  /** Images in its input. */
  images: number;
  /** The model name that the client used: an alias stays an alias in responses. */
  clientModel: string;
  hold: Hold;
  client: ClientConnection;
  res: TollgateResponse;
  /** The operation, named by the GenAI semantic conventions. */
  operation: 'chat' | 'embeddings';
  /** Name of the client's protocol. */
  protocolIn: string;
  streamed: boolean;
  /** Counts the input's tokens, for an upstream that reports no usage. */
  countInput: () => Promise<number>;
  /** Maximum input tokens, from which the hold was computed: estimates never exceed it. */
  maxInputTokens: number;
  /** Maximum output tokens that the upstream may generate for all choices: estimates never exceed it. */
  maxOutputTokens: number;
  /** Maximum searches, from which the hold was computed. */
  maxSearches: number;
  /** Whether all searches of the request are billed as one. */
  billsSearchesOnce: boolean;
  /** Whether the provider was asked to use the web: it then reports its usage only at the end of a stream. */
  usesWebTools: boolean;
}

/** One upstream call made for an exchange. */
export interface Attempt {
  route: Route;
  span: Span;
  /** On the monotonic clock. */
  startedAt: number;
  /** Calls made before this one. All failed. */
  earlier: readonly AttemptRecord[];
  /** HTTP status of the upstream; 0 before its response. */
  providerStatus: number;
  /** Size of the body sent to the upstream. */
  bodyBytes: number;
  /** What decides the price of its response, besides what that reports. */
  sent: SentPrice;
  /** Removes the upstream's credentials and address from its texts. */
  redact: Redact;
}

/** Observes whether the client is still connected. */
export class ClientConnection {
  readonly #controller = new AbortController();
  #isClosed = false;

  constructor(res: ServerResponse) {
    const close = () => {
      if (res.writableFinished) return;
      this.#isClosed = true;
      this.#controller.abort();
    };
    if (res.destroyed) close();
    else res.once('close', close);
  }

  /** Aborts when the connection closes before the response is sent completely. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls back once when the client disconnects; immediately if it already has. */
  onClose(callback: () => void): void {
    if (this.isClosed) callback();
    else this.#controller.signal.addEventListener('abort', callback, { once: true });
  }
}
