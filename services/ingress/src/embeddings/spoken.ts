import { Protocol } from '@tollgate/proto/router';
import type { EmbeddingsProtocol } from '@tollgate/protocols/embeddings/index';
import type { Route } from '../model-routing/route-table.ts';

/** How embeddings are called at a route's provider; undefined where the provider's protocol has none. */
export function spokenAt({ provider }: Route): EmbeddingsProtocol | undefined {
  switch (provider.protocol) {
    case Protocol.OPENAI_CHAT:
    case Protocol.OPENAI_RESPONSES:
      return 'openai-embeddings';
    case Protocol.GEMINI:
      return 'gemini-embeddings';
    case Protocol.ANTHROPIC_MESSAGES:
    case Protocol.UNSPECIFIED:
      return undefined;
    default:
      return provider.protocol satisfies never;
  }
}
