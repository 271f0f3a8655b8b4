export { readBatchEmbedContents, readEmbedContent } from './gemini/read-request.ts';
export { readOpenaiEmbeddings } from './openai/read-request.ts';
export type { ClientEmbeddings, EmbeddingsProtocol, EmbeddingsReading, UpstreamEmbeddings } from './protocol.ts';
export { givenTokensOf, textsOf } from './request.ts';
