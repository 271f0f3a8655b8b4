/**
 * Calls of official SDKs that this service does not offer, by path prefix, with the reason. Everything that stores
 * something at a provider is among them, since all accounts share the provider's account.
 */
const NOT_OFFERED: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/responses\/[^/]+/, 'Responses are not stored here: send the items of earlier turns in input.'],
  [/^\/v1\/conversations\b/, 'Conversations are not stored here: send the items of earlier turns in input.'],
  [/^\/v1\/chat\/completions\/[^/]+/, 'Chat completions are not stored here.'],
  [/^\/v1(beta)?\/(messages\/batches|batches)\b/, 'Batches are not offered here: send the requests one by one.'],
  [/:(batchGenerateContent|asyncBatchEmbedContent)$/, 'Batches are not offered here: send the requests one by one.'],
  [/^\/(v1|v1beta|upload\/v1beta)\/(files|uploads)\b/, 'Files are not stored here: send their content in the request.'],
  [/^\/v1beta\/cachedContents\b/, 'Cached contents are not stored here: send the content in the request.'],
  [/^\/v1\/completions\b/, 'Legacy completions are not offered here: use /v1/chat/completions.'],
  [
    /^\/v1\/(assistants|threads|vector_stores|containers|fine_tuning|evals|skills)\b/,
    'Nothing is stored at a provider here.',
  ],
  [/^\/v1\/(images|audio|videos|realtime|moderations)\b/, 'Only text generation and embeddings are offered here.'],
];

/** Why a path that an SDK may call is not offered; undefined for an unknown path. */
export function reasonNotOffered(path: string): string | undefined {
  return NOT_OFFERED.find(([pattern]) => pattern.test(path))?.[1];
}
