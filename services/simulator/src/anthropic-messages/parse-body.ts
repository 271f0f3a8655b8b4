import type { z } from 'zod';
import type { BodyResult } from '../exchange/buffered-response.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { parseObject } from '../validation/fields.ts';
import { firstProblem } from '../validation/problem.ts';
import { faultOf } from './check.ts';
import { betasFault } from './check-betas.ts';
import { invalidRequest, problemResponse } from './errors.ts';
import type { CountBody } from './schema.ts';

/** Accepted versions of the API. */
const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21'];

/** Parses and checks a body of either endpoint. A problem becomes Anthropic's error response. */
export function parseBody<Body extends CountBody>(exchange: Exchange, schema: z.ZodType<Body>): BodyResult<Body> {
  const text = exchange.text();
  const version = exchange.request.headers['anthropic-version'];
  if (version === undefined) return { ok: false, response: invalidRequest('anthropic-version: header is required') };
  if (typeof version !== 'string' || !VERSIONS.includes(version)) {
    const message = `anthropic-version: "${String(version)}" is not a valid version`;
    return { ok: false, response: invalidRequest(message) };
  }
  const raw = parseObject(text);
  if (raw === undefined) {
    return { ok: false, response: invalidRequest('The request body is not valid JSON: expected an object') };
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) return { ok: false, response: problemResponse(firstProblem(parsed.error)) };
  const fault = betasFault(exchange.request.headers['anthropic-beta'], parsed.data) ?? faultOf(parsed.data);
  return fault === undefined ? { ok: true, body: parsed.data } : { ok: false, response: invalidRequest(fault) };
}
