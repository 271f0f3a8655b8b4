import { countOf } from '../../canonical/usage.ts';
import { laterDetails, NO_REPORT, type UsageDetails, type UsageReport } from '../../canonical/usage-report.ts';
import { readUpstreamCost } from '../../interface/upstream-cost.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';
import { readInputUsage, readReport } from './usage.ts';

const INPUT_FIGURES = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

/**
 * Gathers the usage of a stream. `message_start` reports the input; its output token is only the first one, not the
 * response's. The numbers of `message_delta` are cumulative and replace earlier ones, except for missing or null ones, and
 * for an input of 0 beside an earlier one: some compatible upstreams report the input only once, at either end. Only
 * `message_start` has the cache lifetimes.
 */
export class StreamUsage {
  #members: JsonRecord = {};
  #details: UsageDetails | undefined;

  /**
   * The `usage` of `message_start`: its report is without output.
   *
   * @param data the event's data
   */
  start(value: unknown, data: Buffer): UsageReport {
    const known = Object.entries(recordOr(value)).filter(([, figure]) => figure !== null);
    this.#members = { ...Object.fromEntries(known), output_tokens: undefined, output_tokens_details: undefined };
    return this.#read(value, data, ['message', 'usage']);
  }

  /** The `usage` of a `message_delta`. */
  delta(value: unknown, data: Buffer): UsageReport {
    if (!isRecord(value)) return NO_REPORT;
    const isWithoutInput = INPUT_FIGURES.every((name) => (countOf(value[name]) ?? 0) === 0);
    const ignored: readonly string[] = isWithoutInput ? INPUT_FIGURES.filter((name) => value[name] === 0) : [];
    const reported = Object.entries(value).filter(([name, figure]) => figure !== null && !ignored.includes(name));
    this.#members = { ...this.#defaults(value), ...this.#members, ...Object.fromEntries(reported) };
    return this.#read(value, data, ['usage']);
  }

  /** Figures of 0 count where there was no other. */
  #defaults(value: JsonRecord): JsonRecord {
    return Object.fromEntries(INPUT_FIGURES.filter((name) => value[name] === 0).map((name) => [name, 0]));
  }

  #read(value: unknown, data: Buffer, path: readonly string[]): UsageReport {
    const members = this.#members;
    const cost = readUpstreamCost(value, () => data.toString('utf8'), path);
    const report = readReport(members, cost);
    this.#details = laterDetails(this.#details, report.details);
    return { ...report, usage: report.usage ?? readInputUsage(members), details: this.#details };
  }
}
