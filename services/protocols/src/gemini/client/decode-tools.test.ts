import { describe, expect, test } from 'vitest';
import { canonicalOf, clientRequest } from '../../../testing/gemini/round-trip.ts';
import { runToEnd } from '../../lists/stages.ts';

const HI = { role: 'user', parts: [{ text: 'hi' }] };

function refusal(body: object): string | undefined {
  const result = runToEnd(clientRequest({ contents: [HI], ...body }).canonical());
  return result.ok ? undefined : result.error.message;
}

describe('tools', () => {
  const declared = {
    name: 'f',
    description: 'd',
    parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
  };
  const withTools = (config: object, tools: unknown = [{ functionDeclarations: [declared, { name: 'g' }] }]) =>
    canonicalOf({ contents: [HI], tools, toolConfig: { functionCallingConfig: config } }).request;

  test('are decoded from all tool objects, with JSON Schemas', () => {
    const { tools } = withTools({}, [
      { functionDeclarations: [declared] },
      { function_declarations: { name: 'g', parameters_json_schema: { properties: {} } } },
    ]);
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'f',
        description: 'd',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
        at: 'tools[0].functionDeclarations[0]',
      },
      {
        type: 'function',
        name: 'g',
        parameters: { type: 'object', properties: {} },
        at: 'tools[1].function_declarations',
      },
    ]);
  });

  test.each([
    [{}, undefined],
    [{ mode: 'auto' }, { type: 'auto' }],
    [{ mode: 'NONE' }, { type: 'none' }],
    [{ mode: 'ANY' }, { type: 'required' }],
    [
      { mode: 'ANY', allowedFunctionNames: ['f'] },
      { type: 'tool', name: 'f' },
    ],
    [
      { mode: 'ANY', allowed_function_names: ['f', 'g'] },
      { type: 'allowed', mode: 'required', names: ['f', 'g'] },
    ],
    [
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
      { type: 'allowed', mode: 'auto', names: ['f'] },
    ],
  ])('are chosen by %j', (config, toolChoice) => {
    expect(withTools(config).toolChoice).toEqual(toolChoice);
  });

  test('validated calls are those of strict tools', () => {
    expect(withTools({ mode: 'VALIDATED' })).toMatchObject({
      toolChoice: { type: 'auto' },
      tools: [{ strict: true }, { strict: true }],
    });
  });

  test.each<[object, string]>([
    [
      { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      'toolConfig.functionCallingConfig.mode: requires a function call, but no functions are declared',
    ],
    [
      { toolConfig: { functionCallingConfig: { mode: 'x' } } },
      'toolConfig.functionCallingConfig.mode: expected "AUTO", "ANY", "NONE" or "VALIDATED"',
    ],
    [
      { toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } },
      'toolConfig.functionCallingConfig.allowedFunctionNames: only allowed with the mode "ANY" or "VALIDATED"',
    ],
    [
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: {}, parametersJsonSchema: {} }] }] },
      'tools[0].functionDeclarations[0].parametersJsonSchema: not allowed together with parameters; send only one',
    ],
  ])('rejects %j', (body, message) => {
    expect(refusal(body)).toBe(message);
  });
});
