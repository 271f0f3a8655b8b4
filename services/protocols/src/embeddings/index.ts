export { parseBatchEmbedContents, parseEmbedContent } from './gemini/client/client-request.ts';
export { parseOpenaiEmbeddings } from './openai/client/client-request.ts';
export type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsResult, UpstreamEmbeddings } from './protocol.ts';
export { inputTokens, requestTexts } from './request.ts';
