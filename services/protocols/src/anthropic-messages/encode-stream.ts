import type { StreamEvent } from '../canonical/stream.ts';
import type { AnswerContext, FinalUsage, StreamEncoder } from '../protocol.ts';

export class MessagesStreamEncoder implements StreamEncoder {
  readonly context: AnswerContext;
  constructor(context: AnswerContext) {
    this.context = context;
  }
  push(_events: readonly StreamEvent[]): Buffer | undefined {
    return undefined;
  }
  close(_final: FinalUsage): Buffer {
    return Buffer.alloc(0);
  }
}
