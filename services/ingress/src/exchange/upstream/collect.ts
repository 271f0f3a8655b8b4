import type { UpstreamClient, UpstreamHeaders, UpstreamRequest } from './call.ts';
import type { UpstreamFailure } from './failure.ts';

export type CollectedResponse =
  | { kind: 'response'; status: number; headers: UpstreamHeaders; body: Buffer }
  | { kind: 'failed'; failure: UpstreamFailure };

/** Makes a call and reads its complete response, of at most `maxBytes`. */
export function collectResponse(
  upstream: UpstreamClient,
  request: UpstreamRequest,
  maxBytes: number,
): Promise<CollectedResponse> {
  return new Promise((resolve) => {
    const failed = (failure: UpstreamFailure) => resolve({ kind: 'failed', failure });
    const call = upstream.call(request, {
      failed,
      head: (status, headers) => {
        const chunks: Buffer[] = [];
        let size = 0;
        return {
          data: (chunk) => {
            size += chunk.length;
            if (size <= maxBytes) {
              chunks.push(chunk);
              return;
            }
            call.abort();
            failed({ kind: 'malformed', detail: `the response is larger than ${maxBytes} bytes` });
          },
          end: () => resolve({ kind: 'response', status, headers, body: Buffer.concat(chunks) }),
          failed,
        };
      },
    });
  });
}
