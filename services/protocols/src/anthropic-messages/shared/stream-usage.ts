import type { ReportedFigures, Usage } from '../../canonical/usage.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';
import { readInputUsage, readUsage, unreadableUsage } from './usage.ts';

/** What an event of a stream reports of the usage. */
export interface StreamReport {
  /** As far as the stream has reported it; without output where it has not reported that. */
  readonly usage: Usage | undefined;
  /** Where some figure cannot be read. */
  readonly unreadable: ReportedFigures | undefined;
}

const NOTHING: StreamReport = { usage: undefined, unreadable: undefined };

/**
 * Gathers the usage of a stream. `message_start` reports the input; the one output token it shows is that of a beginning,
 * and no report of the response's. The numbers of `message_delta` are cumulative and replace earlier ones; what it leaves out
 * or has as null stays. Only `message_start` has the cache lifetimes.
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
