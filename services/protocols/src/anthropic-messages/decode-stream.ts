import type { DecodeContext, DecodedEvents, StreamDecoder } from '../protocol.ts';
import type { SseEvent } from '../sse/event.ts';

export class MessagesStreamDecoder implements StreamDecoder {
  readonly context: DecodeContext;
  constructor(context: DecodeContext) {
    this.context = context;
  }
  push(_event: SseEvent): DecodedEvents {
    return { kind: 'events', events: [] };
  }
  eof(): DecodedEvents {
    return { kind: 'malformed', problem: 'the stream ended before the answer did' };
  }
}
