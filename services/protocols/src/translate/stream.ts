import { textOfEvent } from '../canonical/generated-text.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { laterUsage, type Usage } from '../canonical/usage.ts';
import { laterDetails, type UsageDetails } from '../canonical/usage-report.ts';
import type {
  ClientRequest,
  DecodedEvents,
  FinalUsage,
  ResponseContext,
  StreamDecoder,
  StreamEncoder,
  StreamStep,
  StreamTransformer,
  Upstream,
} from '../interface/protocol.ts';
import type { SseEvent } from '../sse/event.ts';
import { type Adjustments, StreamAdjuster } from './adjustments.ts';

const SILENT: StreamStep = { kind: 'silent', bytes: undefined };
const CUT_OFF: StreamStep = { kind: 'malformed', problem: 'the stream ended before the response was complete' };

/** Passes on one stream to a client of another protocol. */
export class TranslatingStreamTransformer implements StreamTransformer {
  readonly #decoder: StreamDecoder;
  readonly #encoder: StreamEncoder;
  readonly #adjuster: StreamAdjuster;
  readonly #sent: UsageDetails | undefined;
  /** Whether a choice has finished. */
  #isFinished = false;

  /** @param sent what the upstream was asked for, which it may not report */
  constructor(
    client: Pick<ClientRequest, 'streamEncoder'>,
    upstream: Pick<Upstream, 'streamDecoder'>,
    adjustments: Adjustments,
    context: ResponseContext,
    sent?: UsageDetails,
  ) {
    this.#decoder = upstream.streamDecoder(context);
    this.#encoder = client.streamEncoder(context);
    this.#adjuster = new StreamAdjuster(adjustments);
    this.#sent = sent;
  }

  push(event: SseEvent): StreamStep {
    return this.#step(this.#decoder.push(event));
  }

  eof(): StreamStep {
    const decoded = this.#decoder.eof();
    // Kept-back data of an interrupted response is dropped: an error event follows.
    return decoded.kind === 'events' ? CUT_OFF : this.#step(decoded);
  }

  close(final: FinalUsage): Buffer {
    return this.#encoder.close(final);
  }

  #step(decoded: DecodedEvents): StreamStep {
    if (decoded.kind === 'error' || decoded.kind === 'malformed') return decoded;
    const { unreadable } = decoded;
    if (decoded.kind === 'events' && decoded.events.length === 0 && unreadable === undefined) return SILENT;
    const events = this.#withSent(decoded.events);
    let text = '';
    let finishReason = '';
    let usage: Usage | undefined;
    let details: UsageDetails | undefined;
    for (const event of events) {
      if (event.type === 'usage') {
        if (event.usage !== undefined) usage = laterUsage(usage, event.usage);
        details = laterDetails(details, event.details);
      } else if (event.type === 'finish') finishReason ||= event.finish.raw || event.finish.reason;
      else text += textOfEvent(event);
    }
    if (decoded.kind === 'events' && events.length > 0 && events.every(isOpening)) {
      return { kind: 'opening', bytes: this.#bytes(events), details };
    }
    if (finishReason !== '') this.#isFinished = true;
    if (decoded.kind === 'end' && !this.#isFinished) return CUT_OFF;
    const kind = decoded.kind === 'end' ? 'end' : 'content';
    const bytes = this.#bytes(events);
    const { isStopped } = this.#adjuster;
    if (isStopped) finishReason ||= 'stop';
    return { kind, bytes, text, finishReason, usage, unreadable, details, isStopped };
  }

  /** With the tier that was sent, until the upstream reports one. */
  #withSent(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const [first, ...others] = events;
    if (this.#sent === undefined || first?.type !== 'start') return events;
    return [first, { type: 'usage', usage: undefined, details: this.#sent }, ...others];
  }

  #bytes(events: readonly StreamEvent[]): Buffer | undefined {
    const adjusted = this.#adjuster.push(events);
    return adjusted.length === 0 ? undefined : this.#encoder.push(adjusted);
  }
}

/** Whether an event is not content yet. */
function isOpening(event: StreamEvent): boolean {
  return event.type === 'start' || (event.type === 'usage' && event.usage === undefined);
}
