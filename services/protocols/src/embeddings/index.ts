export { parseBatchEmbedContents, parseEmbedContent } from './gemini/client-request.ts';
export { parseOpenaiEmbeddings } from './openai/client-request.ts';
export type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsResult, UpstreamEmbeddings } from './shared/protocol.ts';
export { inputTokens, requestTexts } from './shared/request.ts';
