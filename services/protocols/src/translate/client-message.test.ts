import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UpstreamError } from '../interface/errors.ts';
import { clientMessage } from './client-message.ts';

const PLACES = new Map([
  ['messages[1]', 'input[1]'],
  ['messages[1].content[0]', 'input[1].content[0]'],
  ['messages[10]', 'input[12]'],
  ['max_tokens', 'max_output_tokens'],
  ['stop_sequences', 'stop'],
  ['stop', 'generationConfig.stopSequences'],
  ['user', 'metadata.user_id'],
  ['temperature', 'generationConfig.temperature'],
  ['contents[0].parts[1]', 'messages[0].content[1]'],
  ['generationConfig.topK', 'top_k'],
  ['tools[0]', 'tools[3]'],
]);

function say(message: string, param = ''): string {
  const error: UpstreamError = { message, param, type: '', code: '' };
  return clientMessage(error, PLACES);
}

describe('clientMessage', () => {
  test.each([
    ['messages.1.content.0.image.source.base64: bad image', 'input[1].content[0]: bad image'],
    ['messages.1: roles must alternate', 'input[1]: roles must alternate'],
    ['messages.10: bad', 'input[12]: bad'],
    ["Invalid value at 'contents[0].parts[1]' (oneof)", "Invalid value at 'messages[0].content[1]' (oneof)"],
    ['* GenerateContentRequest.generation_config.top_k: too large', '* top_k: too large'],
    ['tools.0.custom.input_schema: JSON schema is invalid', 'tools[3]: JSON schema is invalid'],
    ['max_tokens: must be at most 4096', 'max_output_tokens: must be at most 4096'],
    ['temperature: range 0..1', 'generationConfig.temperature: range 0..1'],
    [
      "Unsupported value: 'temperature' does not support 0.2",
      "Unsupported value: 'generationConfig.temperature' does not support 0.2",
    ],
    ['messages.7: unknown', 'messages.7: unknown'],
  ])('replaces fields of %j by the client’s names', (message, expected) => {
    expect(say(message)).toBe(expected);
  });

  test('leaves English words alone', () => {
    const message = 'The user must stop sending such a temperature to api.example.com.';
    expect(say(message)).toBe(message);
  });

  test('begins with the field that the provider names separately', () => {
    expect(say('Invalid image.', 'messages[1].content[0].image_url')).toBe('input[1].content[0]: Invalid image.');
    expect(say('Too many stop texts', 'stop')).toBe('Too many generationConfig.stopSequences texts');
    expect(say('Bad', 'messages.1')).toBe('input[1]: Bad');
    expect(say('Bad', 'unknown_field')).toBe('Bad');
    expect(say('', 'user')).toBe('metadata.user_id: The provider of this model refused the request.');
    expect(say('')).toBe('The provider of this model refused the request.');
  });

  test('finds a path among any other words, in each notation, with or without a suffix', () => {
    const words = fc.stringMatching(/^[ ,;()*0-9]{0,8}$/);
    const path = fc.constantFrom(...[...PLACES.keys()].filter((key) => key.includes('[')));
    const dotted = path.map((key) => ({ key, spelled: key.replaceAll('[', '.').replaceAll(']', '') }));
    const bracketed = path.map((key) => ({ key, spelled: key }));
    const deeper = fc.constantFrom('', '.deeper', '.deeper[3]', '.type');
    fc.assert(
      fc.property(words, fc.oneof(dotted, bracketed), deeper, words, (before, { key, spelled }, more, after) => {
        expect(say(`${before} ${spelled}${more} ${after}`)).toBe(`${before} ${PLACES.get(key)} ${after}`);
      }),
    );
  });
});
