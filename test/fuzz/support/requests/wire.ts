import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';

/** What kind of call a request is made from; mutation may make another one of it. */
export type CallKind = 'generate' | 'count' | 'embed' | 'models' | 'billing' | 'nowhere';

/** One HTTP request. */
export interface Wire {
  method: string;
  /** With its query. */
  path: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
}

/** A request and what is known of it. */
export interface FuzzRequest {
  kind: CallKind;
  /** The client's protocol, of calls that have one. */
  protocol: ProtocolName | undefined;
  /** The model that is called, unless mutation has changed it. */
  model: string | undefined;
  streamed: boolean;
  wire: Wire;
  /** What was done to it, for humans. */
  mutations: string[];
}
