import { AuthScheme, Bucket, Modality, Protocol } from '@tollgate/proto/router';

/** Public names of buckets: those of charge lines and of prices in the catalogue file. */
export const BUCKET_NAMES: Readonly<Record<Bucket, string>> = {
  [Bucket.UNSPECIFIED]: 'unspecified',
  [Bucket.INPUT]: 'input',
  [Bucket.CACHE_READ]: 'cache_read',
  [Bucket.CACHE_WRITE_5M]: 'cache_write_5m',
  [Bucket.CACHE_WRITE_1H]: 'cache_write_1h',
  [Bucket.OUTPUT]: 'output',
  [Bucket.REASONING]: 'reasoning',
  [Bucket.IMAGE]: 'image',
  [Bucket.SEARCH]: 'search',
  [Bucket.REQUEST]: 'request',
};

/** Public names of modalities. */
export const MODALITY_NAMES: Readonly<Record<Modality, string>> = {
  [Modality.UNSPECIFIED]: 'unspecified',
  [Modality.TEXT]: 'text',
  [Modality.IMAGE]: 'image',
  [Modality.AUDIO]: 'audio',
  [Modality.FILE]: 'file',
  [Modality.EMBEDDING]: 'embedding',
};

/** Public names of protocols. */
export const PROTOCOL_NAMES: Readonly<Record<Protocol, string>> = {
  [Protocol.UNSPECIFIED]: 'unspecified',
  [Protocol.OPENAI_CHAT]: 'openai-chat',
  [Protocol.OPENAI_RESPONSES]: 'openai-responses',
  [Protocol.ANTHROPIC_MESSAGES]: 'anthropic-messages',
  [Protocol.GEMINI]: 'gemini',
};

/** Names of the ways in which credentials are sent, as in the catalogue file. */
export const AUTH_SCHEME_NAMES: Readonly<Record<AuthScheme, string>> = {
  [AuthScheme.UNSPECIFIED]: 'unspecified',
  [AuthScheme.BEARER]: 'bearer',
  [AuthScheme.X_API_KEY]: 'x-api-key',
  [AuthScheme.X_GOOG_API_KEY]: 'x-goog-api-key',
  [AuthScheme.NONE]: 'none',
};
