import { formatDollars, parseDollars } from '@tollgate/common/money';
import type { PlaygroundEvent } from '@tollgate/proto/api-types';
import { z } from 'zod';

/** What the playground uses of a chunk of the Chat Completions API. */
const chunkSchema = z.object({
  error: z.object({ message: z.string(), type: z.string() }).optional(),
  trace_id: z.string().optional(),
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
                }),
              )
              .nullish(),
          })
          .optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), cost: z.number().optional() }).nullish(),
});

/** Turns the chunks of a response into events of the playground, and keeps what its end reports. */
export class ChatChunks {
  #finishReason: string | null = null;
  #inputTokens: number | null = null;
  #outputTokens: number | null = null;
  #cost: string | null = null;

  /** The events of one chunk. */
  read(json: string): PlaygroundEvent[] {
    const chunk = parseChunk(json);
    if (chunk.error !== undefined) return [errorEvent(chunk.error, chunk.trace_id)];
    if (chunk.usage) {
      this.#inputTokens = chunk.usage.prompt_tokens;
      this.#outputTokens = chunk.usage.completion_tokens;
      this.#cost = exactDollars(chunk.usage.cost);
    }
    const [choice] = chunk.choices ?? [];
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason;
    const { delta } = choice ?? {};
    const events: PlaygroundEvent[] = [];
    if (delta?.reasoning_content) events.push({ type: 'reasoning', text: delta.reasoning_content });
    const text = `${delta?.content ?? ''}${delta?.refusal ?? ''}`;
    if (text !== '') events.push({ type: 'delta', text });
    for (const { index, function: called } of delta?.tool_calls ?? []) {
      events.push({ type: 'tool_call', index, name: called?.name ?? null, arguments: called?.arguments ?? '' });
    }
    return events;
  }

  /** The event of a complete response. */
  done(times: { firstTokenMs: number | null; durationMs: number }): PlaygroundEvent {
    return {
      type: 'done',
      finish_reason: this.#finishReason,
      input_tokens: this.#inputTokens,
      output_tokens: this.#outputTokens,
      cost: this.#cost,
      first_token_ms: times.firstTokenMs,
      duration_ms: times.durationMs,
    };
  }
}

/** Errors of parsers quote their text, which must not reach the log. */
function parseChunk(json: string): z.output<typeof chunkSchema> {
  try {
    return chunkSchema.parse(JSON.parse(json));
  } catch {
    throw new Error('a chunk of the response is not one of a chat completion');
  }
}

/** An error of the gateway, in its words. */
export function errorEvent(error: { message: string; type: string }, traceId: string | undefined): PlaygroundEvent {
  return { type: 'error', message: error.message, error_type: error.type, trace_id: traceId ?? null };
}

/** The gateway prints exact dollars with at most nine decimals; a small number would be printed with an exponent here. */
function exactDollars(cost: number | undefined): string | null {
  const nanos = cost === undefined ? undefined : parseDollars(cost.toFixed(9));
  return nanos === undefined ? null : formatDollars(nanos);
}
