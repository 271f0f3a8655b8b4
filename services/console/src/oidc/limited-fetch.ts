import type { CustomFetch } from 'openid-client';

/** Far beyond the metadata, keys and tokens of any provider. */
const MAX_BYTES = 1_000_000;

/** Fetches a response whose body fails beyond a limit. */
export const limitedFetch: CustomFetch = async (url, { body, ...options }) => {
  const response = await fetch(url, { ...options, ...(body === undefined ? {} : { body }) } as RequestInit);
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit()), { status, statusText, headers });
};

function limit(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) controller.error(new Error(`the provider has sent more than ${MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
