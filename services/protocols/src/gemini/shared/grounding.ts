import { isSet, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/** The kinds of hosted tools that a request declares. */
export interface DeclaredWebTools {
  readonly search: boolean;
  readonly fetch: boolean;
}

export const NO_WEB_TOOLS: DeclaredWebTools = { search: false, fetch: false };

/**
 * What a response says of its searches and of the pages that it fetched. Google bills each query once, whichever chunks and
 * candidates repeat it, and none that is empty (https://ai.google.dev/gemini-api/docs/google-search#pricing).
 */
export class Grounding {
  readonly #declared: DeclaredWebTools;
  readonly #queries = new Set<string>();
  #hasUnnamedSearch = false;
  #hasPages = false;

  constructor(declared: DeclaredWebTools) {
    this.#declared = declared;
  }

  add(candidate: JsonRecord): void {
    const { groundingMetadata, urlContextMetadata, content } = candidate;
    const { webSearchQueries: queries, groundingChunks: chunks } = recordOr(groundingMetadata);
    this.#hasPages ||= isSet(urlContextMetadata);
    this.#addQueries(queries);
    const { parts } = recordOr(content);
    if (Array.isArray(parts)) for (const part of parts) this.#addCall(recordOr(recordOr(part)['toolCall']));
    // Fetched pages are sources too, without a query.
    this.#hasUnnamedSearch ||= !Array.isArray(queries) && hasWebSource(chunks);
  }

  /** Searches so far. One whose queries are not reported counts as one. */
  get searches(): number {
    const isUnnamed = this.#queries.size === 0 && this.#hasUnnamedSearch && !this.#hasPages;
    return isUnnamed ? 1 : this.#queries.size;
  }

  /**
   * Whether what tools have added to the prompt is free: all of it comes from Google Search, which does not bill it
   * (https://ai.google.dev/gemini-api/docs/pricing, https://cloud.google.com/vertex-ai/generative-ai/pricing). Pages are
   * billed, as is what a response with both has.
   */
  get isFoundFree(): boolean {
    const { search, fetch } = this.#declared;
    return search && !this.#hasPages && (!fetch || this.searches > 0);
  }

  #addCall({ toolType, args }: JsonRecord): void {
    if (toolType === 'GOOGLE_SEARCH_WEB') this.#addQueries(recordOr(args)['queries']);
  }

  #addQueries(queries: unknown): void {
    if (!Array.isArray(queries)) return;
    for (const query of queries) if (stringOr(query) !== '') this.#queries.add(stringOr(query));
  }
}

function hasWebSource(chunks: unknown): boolean {
  return Array.isArray(chunks) && chunks.some((chunk) => isSet(recordOr(chunk)['web']));
}
