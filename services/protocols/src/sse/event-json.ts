import { isUtf8 } from 'node:buffer';
import { isRecord, type JsonRecord, parseJson } from '../json/record.ts';
import { compareEvents, type JsonTemplate } from './json-template.ts';

/** Longer events are few, and cost more to compare. */
const MAX_COMPARED_BYTES = 4_096;

/** Events compared in vain after which a stream is taken for one whose events are not alike. */
const MAX_COMPARISONS = 32;

/**
 * Parses the JSON of a stream's events. Most events of a stream differ only in a few members, such as a text: what two of
 * them have in common is parsed once, and of those that follow only the rest is read.
 */
export class EventJson {
  readonly #varying: ReadonlySet<string>;
  #template: JsonTemplate | undefined;
  /** The event before, if it was parsed completely. */
  #before: Buffer | undefined;
  #comparisons = 0;

  /** @param varying names of the members in which events may differ that are otherwise alike: texts and counts */
  constructor(varying: ReadonlySet<string>) {
    this.#varying = varying;
  }

  /**
   * The value of an event's data; undefined if it is not JSON. For an event that differs from an earlier one only in the
   * varying members, it is the same object with other members, so nothing may be kept of it but its texts.
   */
  parse(data: Buffer): unknown {
    const template = this.#template;
    const before = this.#before;
    this.#before = undefined;
    if (template?.fill(data) === true) return template.value;
    const value = isUtf8(data) ? parseJson(data.toString('utf8')) : undefined;
    if (isRecord(value) && data.length <= MAX_COMPARED_BYTES && this.#comparisons < MAX_COMPARISONS) {
      if (before !== undefined) this.#compare(before, data, value);
      // The bytes are part of a larger buffer, which may go.
      this.#before = Buffer.from(data);
    }
    return value;
  }

  #compare(before: Buffer, data: Buffer, value: JsonRecord): void {
    const found = compareEvents(before, data, value, this.#varying);
    if (found === undefined) {
      this.#comparisons++;
      return;
    }
    this.#template = found;
    this.#comparisons = 0;
  }
}
