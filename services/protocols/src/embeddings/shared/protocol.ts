import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import type { UpstreamError } from '../../interface/errors.ts';
import type { ResponseContext, ResponseTransformer } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { ModelFacts } from '../../request/bound.ts';
import type { Diagnostic, Diagnostics } from '../../request/diagnostics.ts';
import type { EmbeddingsRequest } from './request.ts';
import type { Vector } from './vector.ts';

/** The shapes of embedding calls, under the names that billing records use. Each is spoken on both sides. */
export const EMBEDDINGS_PROTOCOLS = ['openai-embeddings', 'gemini-embeddings'] as const;

export type EmbeddingsProtocol = (typeof EMBEDDINGS_PROTOCOLS)[number];

export type EmbeddingsResult =
  | { readonly ok: true; readonly request: ClientEmbeddings }
  | { readonly ok: false; readonly error: Diagnostic };

/** A client's call that is well formed. */
export interface ClientEmbeddings {
  readonly protocol: EmbeddingsProtocol;
  readonly model: string;
  readonly canonical: EmbeddingsRequest;
  /** Tokens at most; unknown fields count as text. */
  bound(facts: ModelFacts): number;
  /** The bytes by which calls with the same input find the same deployment. */
  readonly prompt: Buffer;
  /** The call towards an upstream of either protocol. */
  upstreamRequest(upstream: EmbeddingsProtocol, upstreamModel: string): UpstreamEmbeddings;
  /** The way back from it. */
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

/** The upstream's side, for clients of the other protocol. */
export interface EmbeddingsUpstream {
  path(upstreamModel: string, request: EmbeddingsRequest): string;
  /** What the protocol cannot express goes into the diagnostics. */
  encodeRequest(request: EmbeddingsRequest, upstreamModel: string, diagnostics: Diagnostics): JsonRecord;
  decodeResponse(body: Buffer): DecodedEmbeddings;
}

export type DecodedEmbeddings =
  | {
      readonly kind: 'response';
      /** In the order of the inputs. */
      readonly vectors: readonly Vector[];
      /** Undefined when the upstream reported none that can be. */
      readonly usage: Usage | undefined;
      /** Figures of an invalid usage report, see unreadableFigures. */
      readonly unreadable?: ReportedFigures | undefined;
    }
  /** An error with a success status. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  | { readonly kind: 'malformed'; readonly problem: string };
