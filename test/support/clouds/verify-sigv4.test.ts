import { describe, expect, it } from 'vitest';
import { signatureProblem } from './verify-sigv4.ts';

/** AWS's published test suite for Signature Version 4: its keys, date, and signatures of `get-vanilla` and `post-vanilla`. */
const SUITE = {
  region: 'us-east-1',
  service: 'service',
  keys: (id: string) =>
    id === 'AKIDEXAMPLE' ? { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' } : undefined,
  nowMs: Date.UTC(2015, 7, 30, 12, 36, 0),
};

function signed(method: string, signature: string, body = '') {
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`;
  const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z', authorization };
  return { method, url: '/', headers, body: Buffer.from(body) };
}

const GET_VANILLA = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';
const POST_VANILLA = '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b';

describe('signatureProblem', () => {
  it('accepts the signatures of the published test suite', () => {
    expect(signatureProblem(signed('GET', GET_VANILLA), SUITE)).toBeUndefined();
    expect(signatureProblem(signed('POST', POST_VANILLA), SUITE)).toBeUndefined();
  });

  it('names what differs', () => {
    expect(signatureProblem(signed('POST', GET_VANILLA), SUITE)).toBe('wrong signature');
    expect(signatureProblem(signed('POST', POST_VANILLA, '{}'), SUITE)).toBe('wrong signature');
    expect(signatureProblem(signed('POST', POST_VANILLA), { ...SUITE, region: 'eu-west-1' })).toMatch('signed for');
    expect(signatureProblem(signed('POST', POST_VANILLA), { ...SUITE, nowMs: Date.UTC(2015, 7, 30, 13) })).toMatch(
      'signed at',
    );
  });
});
