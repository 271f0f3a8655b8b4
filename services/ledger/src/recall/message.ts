import { z } from 'zod';

/** Sessions named in one message: a notification carries less than 8,000 bytes. */
export const SESSIONS_A_MESSAGE = 150;

const replica = z.string().min(1);
const scope = z.string().min(1);

const recallMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask'), from: replica, scope, sessions: z.array(z.string()).max(SESSIONS_A_MESSAGE) }),
  z.object({ kind: z.literal('answered'), from: replica, scope, session: z.string(), gave: z.boolean() }),
  z.object({ kind: z.literal('done'), from: replica, scope }),
]);

/**
 * What replicas tell each other about the recall of a scope. `ask`: these sessions are to be asked by whoever serves
 * them. `answered`: one of them has, and whether credit came free. `done`: the recall is over.
 */
export type RecallMessage = z.output<typeof recallMessageSchema>;

/** Reads a notification; undefined for one that is none of ours, as a newer replica may send. */
export function parseRecallMessage(payload: string): RecallMessage | undefined {
  try {
    const parsed = recallMessageSchema.safeParse(JSON.parse(payload));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
