import { z } from 'zod';
import type { LoadCommand, LoadResult } from '../load/messages.ts';
import { nextMessage, type Part, startPart } from './fork.ts';

/** Added to a command's own time limit. */
const MARGIN_MS = 60_000;

const quantilesSchema = z.object({
  count: z.number(),
  p50: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});

const replySchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    result: z.object({
      requests: z.number(),
      failures: z.number(),
      firstFailure: z.string().optional(),
      elapsedMs: z.number(),
      events: z.number(),
      firstByte: quantilesSchema,
      latency: quantilesSchema,
    }),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/** The clients, which run one command at a time. */
export class Load {
  readonly #part: Part = startPart('load-generator.ts');

  /** @throws Error if the generator fails or a request had an unexpected response */
  async run(command: LoadCommand): Promise<LoadResult> {
    const response = nextMessage(
      this.#part,
      'the load generator',
      MARGIN_MS + ('durationMs' in command ? command.durationMs : 0),
    );
    this.#part.child.send(command);
    const reply = replySchema.parse(await response);
    if (!reply.ok) throw new Error(`the load generator failed: ${reply.message}`);
    const { result } = reply;
    if (result.failures > 0)
      throw new Error(`${result.failures} requests failed; the first: ${result.firstFailure ?? ''}`);
    return { ...result, firstFailure: result.firstFailure };
  }

  stop(): Promise<void> {
    return this.#part.stop();
  }
}
