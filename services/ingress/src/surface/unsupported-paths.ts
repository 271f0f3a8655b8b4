/**
 * Calls of official SDKs that the gateway does not support, and what to use instead. They include everything that stores
 * data at a provider, since all accounts share the provider's account.
 */
const UNSUPPORTED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/responses\/[^/]+/, 'Responses are not stored. Send the items of earlier turns in input.'],
  [/^\/v1\/conversations\b/, 'Conversations are not stored. Send the items of earlier turns in input.'],
  [/^\/v1\/chat\/completions\/[^/]+/, 'Chat completions are not stored.'],
  [/^\/v1(beta)?\/(messages\/batches|batches)\b/, 'Batches are not supported. Send each request on its own.'],
  [/:(batchGenerateContent|asyncBatchEmbedContent)$/, 'Batches are not supported. Send each request on its own.'],
  [/^\/(v1|v1beta|upload\/v1beta)\/(files|uploads)\b/, 'Files are not stored. Send their content in the request.'],
  [/^\/v1beta\/cachedContents\b/, 'Cached contents are not stored. Send the content in the request.'],
  [/^\/v1\/completions\b/, 'Legacy completions are not supported. Use /v1/chat/completions.'],
  [
    /^\/v1\/(assistants|threads|vector_stores|containers|fine_tuning|evals|skills)\b/,
    'Objects that are stored at a provider are not supported.',
  ],
  [/^\/v1\/(images|audio|videos|realtime|moderations)\b/, 'Only text generation and embeddings are supported.'],
];

/** Why a path that an SDK may call is not supported; undefined for an unknown path. */
export function unsupportedReason(path: string): string | undefined {
  return UNSUPPORTED_PATHS.find(([pattern]) => pattern.test(path))?.[1];
}
