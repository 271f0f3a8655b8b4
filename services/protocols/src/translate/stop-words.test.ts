import { describe, expect, test } from 'vitest';
import { clientRequest, eventsOf, finalUsage, MINIMAL, responseContext } from '../../testing/translate/clients.ts';
import { decodeStream } from '../../testing/translate/digest.ts';
import { bufferedResponse, streamedResponse, usageText } from '../../testing/translate/upstream-responses.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import type { ModelParameters } from '../interface/parameters.ts';
import type { JsonRecord } from '../json/record.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096 };

/** Clients with stop words, and the field in which they have them. */
const CLIENTS: readonly (readonly [ProtocolName, string, (stops: readonly string[]) => JsonRecord])[] = [
  ['openai-chat', 'stop', (stop) => ({ stop })],
  ['anthropic-messages', 'stop_sequences', (stop_sequences) => ({ stop_sequences })],
  ['gemini', 'generationConfig.stopSequences', (stopSequences) => ({ generationConfig: { stopSequences } })],
];

/** The first stop word comes in pieces. */
const ANSWER = {
  text: 'Thought: look.\nObservation: made up',
  finish: 'stop',
  usage: usageText('openai-responses', '7', '5'),
};
const KEPT =
  "kept to by the gateway, since this model's provider does not take them; text generated after one is charged";

function textOf({ choices }: CanonicalResponse): string {
  return (choices[0]?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe.each(CLIENTS)('%s with stop words in %s', (name, field, membersOf) => {
  const translate = (
    stops: readonly string[],
    isStream: boolean,
    upstream: ProtocolName,
    parameters?: ModelParameters,
  ) => {
    const members = { ...membersOf(stops), ...(isStream && name !== 'gemini' && { stream: true }) };
    const client = clientRequest(name, { ...MINIMAL[name], ...members }, isStream);
    const target = { ...TARGET, isStream, ...(parameters && { parameters }) };
    return translateRequest(client, protocolOf(upstream).upstream, target);
  };
  const translation = (isStream: boolean, stops = ['\nObservation:', 'never']) => {
    const result = translate(stops, isStream, 'openai-responses');
    if (!result.ok) throw new Error(result.error.message);
    return result;
  };
  test('of which the provider has none, sends the rest with a warning', () => {
    const { json, warnings } = translation(false);
    expect(JSON.stringify(json)).not.toContain('Observation');
    expect(warnings.map(({ message }) => message)).toContain(`${field}: ${KEPT}`);
  });

  test('gets the text before the first one, and the usage of all', () => {
    const result = translation(false)
      .responseTransformer(responseContext())
      .transform(Buffer.from(bufferedResponse('openai-responses', ANSWER)));
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result.usage?.output).toBe(5);
    expect(result.text).toBe(ANSWER.text);
    const bytes = result.render(finalUsage(result.usage));
    const got = protocolOf(name).upstream.decodeResponse(bytes, responseContext());
    if (got.kind !== 'response') throw new Error(got.kind);
    expect(textOf(got.response)).toBe('Thought: look.');
    expect(JSON.parse(bytes.toString())).toMatchObject(
      {
        'openai-chat': { choices: [{ finish_reason: 'stop' }] },
        'anthropic-messages': { stop_reason: 'stop_sequence', stop_sequence: '\nObservation:' },
        gemini: { candidates: [{ finishReason: 'STOP' }] },
        'openai-responses': {},
      }[name],
    );
  });

  test('gets it in a stream, which says when nothing more follows', () => {
    const transformer = translation(true).streamTransformer(responseContext());
    const pieces: Buffer[] = [];
    let generated = '';
    const stopped: boolean[] = [];
    for (const event of eventsOf(Buffer.from(streamedResponse('openai-responses', ANSWER)))) {
      const step = transformer.push(event);
      if (step.kind === 'error' || step.kind === 'malformed') throw new Error(step.kind);
      if (step.bytes !== undefined) pieces.push(step.bytes);
      if (step.kind !== 'content' && step.kind !== 'end') continue;
      generated += step.text;
      stopped.push(step.isStopped === true);
    }
    expect(generated).toBe(ANSWER.text);
    expect(stopped.lastIndexOf(false)).toBeLessThan(stopped.indexOf(true));
    const bytes = Buffer.concat([...pieces, transformer.close(finalUsage(undefined))]);
    expect(bytes.toString()).not.toContain('Observation: ');
    const got = decodeStream(protocolOf(name).upstream.streamDecoder(responseContext()), eventsOf(bytes));
    expect(textOf(got)).toBe('Thought: look.');
    expect(got.choices[0]?.finish.reason).toBe('stop');
    if (name === 'anthropic-messages') expect(got.choices[0]?.finish.stopSequence).toBe('\nObservation:');
  });

  test('of only white space, which Anthropic does not take, gets the text before them', () => {
    if (name === 'anthropic-messages') return;
    const result = translate(['\n', 'END'], false, 'anthropic-messages');
    if (!result.ok) throw new Error(result.error.message);
    expect(result.json['stop_sequences']).toEqual(['END']);
    expect(result.warnings.map(({ message }) => message)).toContain(`${field}: ${KEPT}`);
    const response = result
      .responseTransformer(responseContext())
      .transform(
        Buffer.from(bufferedResponse('anthropic-messages', { ...ANSWER, finish: 'end_turn', usage: undefined })),
      );
    if (response.kind !== 'response') throw new Error(response.kind);
    const bytes = response.render(finalUsage(response.usage));
    const got = protocolOf(name).upstream.decodeResponse(bytes, responseContext());
    expect(got.kind === 'response' && textOf(got.response)).toBe('Thought: look.');
  });

  test('that a model does not take sends none', () => {
    if (name === 'openai-chat') return;
    const result = translate(['END'], false, 'openai-chat', { unsupported: ['stop'] });
    expect(result.ok && result.json).not.toHaveProperty('stop');
    expect(result.ok && result.warnings.map(({ message }) => message)).toEqual([`${field}: ${KEPT}`]);
  });

  test('beyond those that the provider takes sends the first ones', () => {
    if (name === 'openai-chat') return;
    const result = translate(['1', '2', '3', '4', '5', '6'], false, 'openai-chat');
    expect(result.ok && result.json['stop']).toEqual(['1', '2', '3', '4']);
    expect(result.ok && result.warnings.map(({ message }) => message)).toEqual([`${field}: ${KEPT}`]);
  });

  test.each([
    ['too long', ['x'.repeat(257)], false],
    ['too many', Array.from({ length: 65 }, (_, i) => `s${i}`), name === 'openai-chat'],
  ])('that are %s is refused', (_what, stops, isRefusedBefore) => {
    if (isRefusedBefore) return;
    const result = translate(stops, false, 'openai-responses');
    expect(!result.ok && result.error.message).toBe(
      `${field}: this model's provider does not take them, and the gateway keeps to at most 64 stop sequences of at most 256 characters`,
    );
  });

  test('that are empty ends nowhere', () => {
    const result = translation(false, ['']);
    const response = result
      .responseTransformer(responseContext())
      .transform(Buffer.from(bufferedResponse('openai-responses', ANSWER)));
    if (response.kind !== 'response') throw new Error(response.kind);
    const got = protocolOf(name).upstream.decodeResponse(response.render(finalUsage(undefined)), responseContext());
    expect(got.kind === 'response' && textOf(got.response)).toBe(ANSWER.text);
    expect(result.warnings).toEqual([]);
  });
});
