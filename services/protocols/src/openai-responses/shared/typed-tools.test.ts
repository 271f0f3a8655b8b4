import { describe, expect, test } from 'vitest';
import { type TypedTool, typedCall, typedInput } from './typed-tools.ts';

describe('a call that a model makes with the function of a tool', () => {
  test.each<[TypedTool, unknown, Record<string, unknown>]>([
    ['tool_search', { query: 'mail' }, { execution: 'client', arguments: { query: 'mail' } }],
    [
      'local_shell',
      { command: ['ls'], timeout_ms: 5 },
      { action: { type: 'exec', command: ['ls'], timeout_ms: 5, env: {} } },
    ],
    ['local_shell', { command: 'ls -l' }, { action: { type: 'exec', command: ['bash', '-lc', 'ls -l'], env: {} } }],
    [
      'shell',
      { commands: ['ls'], timeout_ms: 5 },
      { action: { commands: ['ls'], timeout_ms: 5, max_output_length: null }, environment: { type: 'local' } },
    ],
    ['apply_patch', { type: 'delete_file', path: 'a' }, { operation: { type: 'delete_file', path: 'a' } }],
    [
      'apply_patch',
      { type: 'create_file', path: 'a', diff: '+b' },
      { operation: { type: 'create_file', path: 'a', diff: '+b' } },
    ],
  ])('is an item of %s, for %j', (tool, input, members) => {
    expect(typedCall(tool, JSON.stringify(input))).toEqual({ type: `${tool}_call`, ...members });
  });

  test.each<[TypedTool]>([['tool_search'], ['local_shell'], ['shell'], ['apply_patch']])(
    'of %s has all members even if the input is no object',
    (tool) => {
      expect(typedCall(tool, 'oops')).toEqual(typedCall(tool, ''));
      expect(typedCall(tool, '')).toMatchObject({ type: `${tool}_call` });
    },
  );

  test('comes back as the input that the model wrote', () => {
    const input = { command: ['ls'], working_directory: '/tmp', env: {} };
    expect(typedInput('local_shell_call', typedCall('local_shell', JSON.stringify(input)))).toEqual(input);
  });
});
