import type { z } from 'zod';
import type { BodyResult } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { parseObject } from '../validation/fields.ts';
import { firstProblem } from '../validation/problem.ts';
import { camelCase } from './camel-case.ts';
import { invalidArgument, problemResponse } from './errors.ts';

/** Parses a body. A problem becomes Google's error response. */
export function parseBody<Body>(exchange: Exchange, schema: z.ZodType<Body>): BodyResult<Body> {
  const raw = parseObject(exchange.text());
  if (raw === undefined) {
    return { ok: false, response: invalidArgument('Invalid JSON payload received. Expected an object.') };
  }
  const parsed = schema.safeParse(camelCase(raw));
  if (!parsed.success) return { ok: false, response: problemResponse(firstProblem(parsed.error)) };
  return { ok: true, body: parsed.data };
}
