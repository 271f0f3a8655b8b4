export { parseBatchEmbedContents, parseEmbedContent } from './gemini/client/client-request.ts';
export { parseOpenaiEmbeddings } from './openai/client/client-request.ts';
export type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsResult, UpstreamEmbeddings } from './protocol.ts';
export { givenTokensOf, textsOf } from './request.ts';
