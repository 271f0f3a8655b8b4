import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import type { UpstreamError } from '../../interface/errors.ts';
import type { ResponseContext, ResponseTransformer } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { ModelFacts } from '../../request/bound.ts';
import type { Diagnostic, Diagnostics } from '../../request/diagnostics.ts';
import type { EmbeddingsRequest } from './request.ts';
import type { Vector } from './vector.ts';

/** The embeddings protocols, by the names that billing records use. Clients and upstreams can use either. */
export const EMBEDDINGS_PROTOCOLS = ['openai-embeddings', 'gemini-embeddings'] as const;

export type EmbeddingsProtocol = (typeof EMBEDDINGS_PROTOCOLS)[number];

export type EmbeddingsResult =
  | { readonly ok: true; readonly request: ClientEmbeddings }
  | { readonly ok: false; readonly error: Diagnostic };

/** A client's valid call. */
export interface ClientEmbeddings {
  readonly protocol: EmbeddingsProtocol;
  readonly model: string;
  readonly canonical: EmbeddingsRequest;
  /** The maximum number of tokens; unknown fields count as text. */
  bound(facts: ModelFacts): number;
  /** The bytes by which calls with the same input are routed to the same deployment. */
  readonly prompt: Buffer;
  /** The call to an upstream of either protocol. */
  upstreamRequest(upstream: EmbeddingsProtocol, upstreamModel: string): UpstreamEmbeddings;
  /** The transformer for its response. */
  responseTransformer(upstream: EmbeddingsProtocol, context: ResponseContext): ResponseTransformer;
}

export type UpstreamEmbeddings =
  | {
      readonly ok: true;
      /** Under the provider's base URL. */
      readonly path: string;
      readonly body: Buffer;
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly error: Diagnostic };

/** The upstream side, for clients of the other protocol. */
export interface EmbeddingsUpstream {
  path(upstreamModel: string, request: EmbeddingsRequest): string;
  /** Fields that the protocol cannot express are reported in the diagnostics. */
  encodeRequest(request: EmbeddingsRequest, upstreamModel: string, diagnostics: Diagnostics): JsonRecord;
  decodeResponse(body: Buffer): DecodedEmbeddings;
}

export type DecodedEmbeddings =
  | {
      readonly kind: 'response';
      /** In the order of the inputs. */
      readonly vectors: readonly Vector[];
      /** Undefined if the upstream reported none or an invalid one. */
      readonly usage: Usage | undefined;
      /** The values of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  /** An error with a success status. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };
