import { encodeSignature } from '../../../src/gemini/shared/signature.ts';
import type { JsonRecord } from '../../../src/json/record.ts';
import { type LongLists, members, times, wideSchema } from './list.ts';

const HI = { role: 'user', parts: [{ text: 'Hi' }] };
const FOREIGN = encodeSignature({ opaque: { origin: 'anthropic-messages', data: 'c2ln' } });

function gemini(fields: JsonRecord): JsonRecord {
  return { contents: [HI], ...fields };
}

function contents(...turns: readonly JsonRecord[]): JsonRecord {
  return gemini({ contents: [HI, ...turns, HI] });
}

function call(i: number): JsonRecord {
  return { functionCall: { id: `call_${i}`, name: 'f', args: { a: 1 } } };
}

function result(i: number): JsonRecord {
  return { functionResponse: { id: `call_${i}`, name: 'f', response: { output: 'done' } } };
}

const NAMELESS_CALL = { functionCall: { name: 'f', args: {} } };
const NAMELESS_RESULT = { functionResponse: { name: 'f', response: { output: 'done' } } };

/** The lists of a generateContent request. */
export const GEMINI_LISTS: LongLists = {
  'contents of the user': (n) => contents(...times(n, () => HI)),
  'contents in turns': (n) => contents(...times(n, (i) => ({ ...HI, role: i % 2 === 0 ? 'model' : 'user' }))),
  'contents of the model, pieces of a stream': (n) => contents(...times(n, () => ({ ...HI, role: 'model' }))),
  'parts of the user': (n) => contents({ role: 'user', parts: times(n, () => ({ text: 'x' })) }),
  'parts of the model': (n) => contents({ role: 'model', parts: times(n, () => ({ text: 'x' })) }),
  'parts in snake case': (n) =>
    contents({ role: 'user', parts: times(n, () => ({ inline_data: { mime_type: 'image/png', data: 'AAAA' } })) }),
  'parts with members of their own': (n) =>
    contents({ role: 'user', parts: times(n, (i) => ({ text: 'x', [`own_${i}`]: 1 })) }),
  'parts of the instruction': (n) => gemini({ systemInstruction: { parts: times(n, () => ({ text: 'x' })) } }),
  images: (n) =>
    contents({ role: 'user', parts: times(n, () => ({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })) }),
  files: (n) =>
    contents({
      role: 'user',
      parts: times(n, () => ({ fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/a.pdf' } })),
    }),
  'calls of one content, and their results': (n) =>
    contents({ role: 'model', parts: times(n, call) }, { role: 'user', parts: times(n, result) }),
  'calls answered in reverse': (n) =>
    contents({ role: 'model', parts: times(n, call) }, { role: 'user', parts: times(n, (i) => result(n - 1 - i)) }),
  'calls that are never answered': (n) =>
    contents(
      { role: 'model', parts: [...times(n, call)] },
      ...times(n, () => ({ role: 'user', parts: [NAMELESS_RESULT] })),
    ),
  'calls without ids, and their results': (n) =>
    contents(
      { role: 'model', parts: times(n, () => NAMELESS_CALL) },
      { role: 'user', parts: times(n, () => NAMELESS_RESULT) },
    ),
  'calls of many names, answered in reverse': (n) =>
    contents(
      { role: 'model', parts: times(n, (i) => ({ functionCall: { name: `f_${i}`, args: {} } })) },
      { role: 'user', parts: times(n, (i) => ({ functionResponse: { name: `f_${n - 1 - i}`, response: {} } })) },
    ),
  'calls, each with its result': (n) =>
    contents(
      ...times(n, (i) => [
        { role: 'model', parts: [call(i)] },
        { role: 'user', parts: [result(i)] },
      ]).flat(),
    ),
  'parts of a result': (n) =>
    contents(
      { role: 'model', parts: [call(0)] },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'call_0',
              name: 'f',
              response: {},
              parts: times(n, () => ({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })),
            },
          },
        ],
      },
    ),
  'members of an argument': (n) =>
    contents({ role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: members(n, () => 1.5) } }] }),
  'thoughts of another provider': (n) =>
    contents({ role: 'model', parts: times(n, () => ({ text: 'x', thought: true, thoughtSignature: FOREIGN })) }),
  'calls signed by another provider': (n) =>
    contents({ role: 'model', parts: times(n, (i) => ({ ...call(i), thoughtSignature: FOREIGN })) }),
  functions: (n) => gemini({ tools: [{ functionDeclarations: times(n, (i) => ({ name: `f_${i}` })) }] }),
  tools: (n) => gemini({ tools: times(n, (i) => ({ functionDeclarations: [{ name: `f_${i}` }] })) }),
  'tools that the provider runs': (n) =>
    gemini({
      tools: times(n, (i) => (i % 2 === 0 ? { googleSearch: {} } : { functionDeclarations: [{ name: `f_${i}` }] })),
    }),
  'unknown members of a tool': (n) =>
    gemini({ tools: [{ functionDeclarations: [{ name: 'f' }], ...members(n, () => ({})) }] }),
  'functions that may be called': (n) =>
    gemini({
      tools: [{ functionDeclarations: times(n, (i) => ({ name: `f_${i}` })) }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: times(n, (i) => `f_${i}`) } },
    }),
  'properties of a function': (n) =>
    gemini({
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: wideSchema(n) }] }],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    }),
  'properties of a format': (n) =>
    gemini({ generationConfig: { responseMimeType: 'application/json', responseSchema: wideSchema(n) } }),
  'values of a format': (n) =>
    gemini({
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: { type: 'STRING', nullable: true, enum: times(n, String) },
      },
    }),
  'stop sequences': (n) => gemini({ generationConfig: { stopSequences: times(n, (i) => `stop ${i}`) } }),
  'formats of the answer': (n) => gemini({ generationConfig: { responseFormat: times(n, () => ({})) } }),
  modalities: (n) => gemini({ generationConfig: { responseModalities: times(n, () => 'TEXT') } }),
  'safety settings': (n) => gemini({ safetySettings: times(n, () => ({ category: 'A', threshold: 'B' })) }),
  labels: (n) => gemini({ labels: members(n, () => 'x') }),
  'unknown fields': (n) => gemini(members(n, () => 1)),
  'unknown settings': (n) => gemini({ generationConfig: members(n, () => 1) }),
  'contents that are malformed': (n) => gemini({ contents: times(n, () => ({ role: 'nobody' })) }),
  'parts that are malformed': (n) => contents({ role: 'user', parts: times(n, () => ({ text: 1 })) }),
};
