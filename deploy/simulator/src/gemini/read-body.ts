import type { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { WholeAnswer } from '../protocol.ts';
import { parseObject } from '../strict/fields.ts';
import { firstProblem } from '../strict/problem.ts';
import { camelCase } from './camel-case.ts';
import { invalidArgument, problemAnswer } from './errors.ts';

export type BodyResult<Body> = { ok: true; body: Body } | { ok: false; answer: WholeAnswer };

/** Reads a body; what is wrong with its fields is answered as Google answers it. */
export function readBody<Body>(exchange: Exchange, schema: z.ZodType<Body>): BodyResult<Body> {
  const raw = parseObject(exchange.text());
  if (raw === undefined) {
    return { ok: false, answer: invalidArgument('Invalid JSON payload received. Expected an object.') };
  }
  const parsed = schema.safeParse(camelCase(raw));
  if (!parsed.success) return { ok: false, answer: problemAnswer(firstProblem(parsed.error)) };
  return { ok: true, body: parsed.data };
}
