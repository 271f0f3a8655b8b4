import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';
import { readInputUsage, readUsage, unreadableUsage } from './usage.ts';

/** What an event of a stream reports of the usage. */
export interface StreamReport {
  /** As far as the stream has reported it; without output if that is not reported yet. */
  readonly usage: Usage | undefined;
  /** Set if a figure is invalid. */
  readonly unreadable: ReportedFigures | undefined;
}

const NOTHING: StreamReport = { usage: undefined, unreadable: undefined };

/**
 * Gathers the usage of a stream. `message_start` reports the input; its output token is only the first one, not the
 * response's. The numbers of `message_delta` are cumulative and replace earlier ones, except for missing or null ones. Only `message_start` has the cache lifetimes.
 */
export class StreamUsage {
  #members: JsonRecord = {};

  /** The `usage` of `message_start`. */
  start(value: unknown): StreamReport {
    this.#members = { ...recordOr(value), output_tokens: undefined, output_tokens_details: undefined };
    return this.#read();
  }

  /** The `usage` of a `message_delta`. */
  delta(value: unknown): StreamReport {
    if (!isRecord(value)) return NOTHING;
    const reported = Object.entries(value).filter(([, figure]) => figure !== null);
    this.#members = { ...this.#members, ...Object.fromEntries(reported) };
    return this.#read();
  }

  #read(): StreamReport {
    const members = this.#members;
    return {
      usage: readUsage(members) ?? readInputUsage(members),
      unreadable: unreadableUsage(members),
    };
  }
}
