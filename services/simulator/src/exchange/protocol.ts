import type { StatusFailure } from '../controls/schema.ts';
import type { BufferedResponse } from './buffered-response.ts';
import type { Exchange } from './exchange.ts';

/** Handles one call; resolves when the response was sent or the connection is closed. */
export type Handler = (exchange: Exchange) => Promise<void>;

/** A header that may contain the key. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key';

/** One provider protocol. Each has its own folder and is listed in protocols.ts. */
export interface Protocol {
  /** Name in the gateway's billing records, such as `openai-chat`. */
  name: string;
  /** Headers that may contain the key: `authorization` as a bearer token, the others verbatim. */
  keyHeaders: readonly KeyHeader[];
  /** The handler of a path without its query; undefined if the path is not of this protocol. */
  find: (method: string, path: string) => Handler | undefined;
  /** A failure in the format of this protocol. */
  renderFailure: (failure: StatusFailure, retryAfterSeconds: number | undefined) => BufferedResponse;
}
