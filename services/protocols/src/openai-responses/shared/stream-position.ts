import type { JsonRecord } from '../../json/record.ts';

/** How far a client's stream has come. */
export interface StreamPosition {
  /** The number of the next event. */
  sequence: number;
  /** The response object as the stream's first event had it; undefined before that. */
  response: JsonRecord | undefined;
  readonly model: string;
  readonly created: number;
  /** For a response that has none yet. */
  readonly newId: () => string;
}
