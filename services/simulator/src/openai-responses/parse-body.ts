import type { z } from 'zod';
import type { BodyResult } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { invalidRequest, problemResponse } from '../openai-chat/errors.ts';
import { parseObject } from '../validation/fields.ts';
import { firstProblem } from '../validation/problem.ts';
import { faultOf } from './check.ts';
import type { CountBody } from './schema.ts';

/** Parses and checks a body of either endpoint. A problem becomes OpenAI's error response. */
export function parseBody<Body extends CountBody>(exchange: Exchange, schema: z.ZodType<Body>): BodyResult<Body> {
  const raw = parseObject(exchange.text());
  if (raw === undefined) {
    const message = 'We could not parse the JSON body of your request. The API expects a JSON object.';
    return { ok: false, response: invalidRequest(message, null) };
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) return { ok: false, response: problemResponse(firstProblem(parsed.error)) };
  const fault = faultOf(parsed.data);
  return fault === undefined ? { ok: true, body: parsed.data } : { ok: false, response: fault };
}
