/** An event of a stream before it is written: JSON, or a text that stands as it is. */
export interface StreamEvent {
  /** The SSE `event:` line; none where empty. */
  name: string;
  data: unknown;
  /** Written in place of `data`. */
  text?: string;
}

export function event(data: unknown, name = ''): StreamEvent {
  return { name, data };
}
