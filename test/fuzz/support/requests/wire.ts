import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';

/** The kind of call before mutation. */
export type CallKind = 'generate' | 'count' | 'embed' | 'models' | 'billing' | 'nowhere';

/** One HTTP request. */
export interface Wire {
  method: string;
  /** With its query. */
  path: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
}

/** A request and its facts. */
export interface FuzzRequest {
  kind: CallKind;
  /** The client's protocol, if the call has one. */
  protocol: ProtocolName | undefined;
  /** The called model, unless mutation has changed it. */
  model: string | undefined;
  streamed: boolean;
  wire: Wire;
  /** A description of the mutations. */
  mutations: string[];
}
