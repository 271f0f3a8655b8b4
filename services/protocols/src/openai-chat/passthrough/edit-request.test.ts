import { describe, expect, test } from 'vitest';
import type { Dispatch } from '../../interface/protocol.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from '../client/parse.ts';
import { checkPolicy } from '../client/policy.ts';
import { editRequest } from './edit-request.ts';

const PLAIN: Dispatch = { upstreamModel: 'm', outputTokens: undefined };

function sent(body: string, dispatch: Partial<Dispatch>): string {
  const result = runToEnd(parseRequest(Buffer.from(body)));
  if (!result.ok) throw new Error(result.error.message);
  return editRequest(result.parsed, checkPolicy(result.parsed), { ...PLAIN, ...dispatch }).toString();
}

const MESSAGES = '"messages":[{"role":"user","content":"caf\\u00e9"}]';

describe('editRequest', () => {
  test('returns a body without edits unchanged', () => {
    const body = `{ "model":"m",\n${MESSAGES}, "temperature":1.0, "vendor":{"a":1e2} }`;
    expect(sent(body, {})).toBe(body);
  });

  test('names the model as the provider does', () => {
    expect(sent(`{${MESSAGES},"model" : "m" }`, { upstreamModel: 'm-2026"x' })).toBe(
      `{${MESSAGES},"model" : "m-2026\\"x" }`,
    );
  });

  test.each([
    ['"max_tokens":90', '"max_tokens":7'],
    ['"max_completion_tokens":90', '"max_completion_tokens":7'],
    ['"max_tokens":null', '"max_tokens":null,"max_completion_tokens":7'],
    ['"n":1', '"n":1,"max_completion_tokens":7'],
  ])('sets the output limit: %s', (field, expected) => {
    const head = `{"model":"m",${MESSAGES},`;
    expect(sent(`${head}${field}}`, { outputTokens: 7 })).toBe(`${head}${expected}}`);
  });

  test.each([
    ['"stream":true', '"stream":true,"stream_options":{"include_usage":true}'],
    ['"stream":true,"stream_options":null', '"stream":true,"stream_options":{"include_usage":true}'],
    ['"stream_options":{"include_usage":false},"stream":true', '"stream_options":{"include_usage":true},"stream":true'],
    [
      '"stream_options":{"include_obfuscation":false},"stream":true',
      '"stream_options":{"include_obfuscation":false,"include_usage":true},"stream":true',
    ],
    ['"stream_options":{"include_usage":true},"stream":true', '"stream_options":{"include_usage":true},"stream":true'],
    ['"stream":false', '"stream":false'],
  ])('requests usage at the end of a stream: %s', (fields, expected) => {
    const head = `{"model":"m",${MESSAGES},`;
    expect(sent(`${head}${fields}}`, {})).toBe(`${head}${expected}}`);
  });
});
