/** An event of a stream before serialization: JSON, or a text that is sent unchanged. */
export interface StreamEvent {
  /** The SSE `event:` line; empty for none. */
  name: string;
  data: unknown;
  /** Sent instead of `data`. */
  text?: string;
}

export function event(data: unknown, name = ''): StreamEvent {
  return { name, data };
}
