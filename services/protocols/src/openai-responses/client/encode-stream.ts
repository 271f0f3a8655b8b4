import { OpaqueCarrier } from '../../canonical/opaque-carrier.ts';
import type { Finish } from '../../canonical/response.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import type { FinalUsage, ResponseContext, StreamEncoder } from '../../interface/protocol.ts';
import type { StreamPosition } from '../shared/event-writer.ts';
import { EventWriter } from '../shared/event-writer.ts';
import { type Ending, encodeFinish } from '../shared/finish-reason.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import type { DeclaredTools } from '../shared/tool-names.ts';
import { encodeUsage } from '../shared/usage.ts';
import { asksForSummary } from './encode-output.ts';
import { withUsage } from './encode-response.ts';
import { OutputEncoder } from './output-encoder.ts';
import { encodeResponseObject } from './response-json.ts';

/** Encodes a stream. It has one choice, the maximum of this protocol. */
export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #request: ResponsesRequest;
  readonly #context: ResponseContext;
  readonly #position: StreamPosition;
  readonly #events: EventWriter;
  readonly #output: OutputEncoder;
  readonly #carrier = new OpaqueCarrier({ endsInReasoning: true });
  readonly #id: string;
  /** Parts of the first choice. */
  readonly #own = new Set<number>();
  #finish: Finish | undefined;
  #tier: string | undefined;

  /** @param position is updated with what the client has received, so that an error event continues the sequence */
  constructor(
    context: ResponseContext,
    request: ResponsesRequest,
    declaredTools: DeclaredTools,
    position: StreamPosition,
  ) {
    this.#request = request;
    this.#context = context;
    this.#position = position;
    this.#events = new EventWriter(position);
    this.#output = new OutputEncoder(this.#events, {
      newId: context.newId,
      declaredTools,
      showsSummary: asksForSummary(request),
    });
    this.#id = `resp_${context.newId()}`;
  }

  push(events: readonly StreamEvent[]): Buffer | undefined {
    for (const event of events) if (event.type === 'usage') this.#tier = event.details?.serviceTier ?? this.#tier;
    for (const event of this.#carrier.push(events)) this.#write(event);
    return this.#events.take();
  }

  close(final: FinalUsage): Buffer {
    this.#start();
    this.#tier = final.usage.options?.service_tier;
    const ending = encodeFinish(this.#finish?.reason ?? 'other');
    this.#output.finish(ending.status);
    const response = withUsage(this.#response(ending), encodeUsage(final.usage, final.cost));
    this.#events.write(`response.${ending.status}`, `"response":${response}`);
    return this.#events.take() ?? EMPTY;
  }

  #write(event: StreamEvent): void {
    switch (event.type) {
      case 'start':
        this.#start();
        break;
      case 'part-start':
        if (event.choice !== 0) break;
        this.#own.add(event.part);
        this.#output.open(event.head);
        break;
      case 'part-delta':
        if (this.#own.has(event.part)) this.#output.grow(event.text);
        break;
      case 'part-citation':
        if (this.#own.has(event.part)) this.#output.cite(event.citation);
        break;
      case 'part-end':
        if (this.#own.delete(event.part)) this.#output.close(event.opaque);
        break;
      case 'media':
        if (event.choice === 0 && event.content.type === 'image') this.#output.image(event.content);
        break;
      case 'logprobs':
        if (event.choice === 0) this.#output.weigh(event.tokens);
        break;
      case 'finish':
        if (event.choice !== 0) break;
        this.#finish = event.finish;
        this.#output.finish(encodeFinish(event.finish.reason).status);
        break;
      case 'usage':
        break;
      default:
        event satisfies never;
    }
  }

  #start(): void {
    if (this.#position.response !== undefined) return;
    const response = { ...this.#response(undefined), usage: null };
    this.#position.response = response;
    const json = `"response":${JSON.stringify(response)}`;
    this.#events.write('response.created', json);
    this.#events.write('response.in_progress', json);
  }

  /** @param ending undefined while the response is in progress */
  #response(ending: Ending | undefined): object {
    const { model, created, now } = this.#context;
    return encodeResponseObject(
      this.#request,
      { id: this.#id, model, created },
      {
        status: ending?.status ?? 'in_progress',
        completedAt: ending?.status === 'completed' ? (now?.() ?? created) : null,
        incompleteReason: ending?.status === 'incomplete' ? ending.reason : undefined,
        tier: this.#tier,
        output: ending === undefined ? [] : this.#output.items,
      },
    );
  }
}

const EMPTY = Buffer.alloc(0);
