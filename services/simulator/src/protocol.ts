import type { StatusFailure } from './controls/schema.ts';
import type { Exchange } from './exchange.ts';

/** A buffered response: status, headers, body. */
export interface BufferedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Answers one call. It resolves when the response was handed over, or the connection is gone. */
export type Handler = (exchange: Exchange) => Promise<void>;

/** A header in which a provider takes its key. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key';

/** One provider protocol. Each lives in a folder of its own and is listed in server.ts. */
export interface Protocol {
  /** As in the gateway's billing records, such as `openai-chat`. */
  name: string;
  /** Headers that may carry the key: `authorization` as a bearer, the others as it is. */
  keyHeaders: readonly KeyHeader[];
  /** The endpoint of a path without its query, or undefined when the path is not of this protocol. */
  find: (method: string, path: string) => Handler | undefined;
  /** A rejection in the shape of this protocol's provider. */
  renderFailure: (failure: StatusFailure, retryAfterSeconds: number | undefined) => BufferedResponse;
}
