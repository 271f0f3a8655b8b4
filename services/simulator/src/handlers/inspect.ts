import type { BufferedResponse } from '../exchange/buffered-response.ts';
import type { Recorder } from '../exchange/recorder.ts';

/**
 * Serves the simulator's own paths; undefined for all others.
 *
 * @param query without its question mark
 */
export function inspect(recorder: Recorder, method: string, path: string, query: string): BufferedResponse | undefined {
  if (method !== 'GET') return undefined;
  switch (path) {
    case '/health':
      return json({ status: 'ok', simulated: true });
    case '/_simulator/requests': {
      const traceId = new URLSearchParams(query).get('trace_id')?.replaceAll('-', '').toLowerCase();
      return json({ requests: recorder.list(traceId) });
    }
    case '/_simulator/stats':
      return json(recorder.stats);
    default:
      return undefined;
  }
}

function json(value: object): BufferedResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
