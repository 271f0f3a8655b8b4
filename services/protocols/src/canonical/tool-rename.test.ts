import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toStreamEvents } from '../../testing/canonical/to-stream-events.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import type { CanonicalRequest } from './request.ts';
import { collectResponse } from './response-collector.ts';
import {
  providerToolName,
  renameTools,
  restoreToolNames,
  restoreToolNamesIn,
  type ToolNameRule,
} from './tool-rename.ts';

const RULE: ToolNameRule = { refused: /[^a-zA-Z0-9_-]/g, first: /^/, maxLength: 64 };

const LONG = `mcp__calendar__${'x'.repeat(80)}`;

const REQUEST: CanonicalRequest = {
  names: {},
  tools: [
    { type: 'function', name: 'files.read', at: 'tools[0]' },
    { type: 'function', name: 'plain', at: 'tools[1]' },
  ],
  toolChoice: { type: 'allowed', mode: 'auto', names: ['files.read', 'plain'] },
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'files.read it' }] },
    { role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', name: LONG, kind: 'function', input: '{}' }] },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', callId: 'c1', kind: 'function', name: LONG, parts: [], isError: false }],
    },
  ],
};

describe('renameTools', () => {
  test('renames what the provider refuses, everywhere, with a warning for each declared tool', () => {
    const diagnostics = new Diagnostics();
    const { request, originals } = runToEnd(renameTools(REQUEST, RULE, diagnostics));
    const [read, plain] = request.tools.map(({ name }) => name);
    expect(read).toMatch(/^files_read_[0-9a-f]{8}$/);
    expect(plain).toBe('plain');
    expect(request.toolChoice).toEqual({ type: 'allowed', mode: 'auto', names: [read, plain] });
    const [, turn, results] = request.messages;
    const call = turn?.parts[0];
    const name = call?.type === 'tool-call' ? call.name : '';
    expect(name).toMatch(/^mcp__calendar__x+_[0-9a-f]{8}$/);
    expect(name).toHaveLength(64);
    expect(results?.parts[0]).toMatchObject({ name });
    expect(Object.fromEntries(originals)).toEqual({ [read ?? '']: 'files.read', [name]: LONG });
    expect(diagnostics.warnings.map(({ path }) => path)).toEqual(['tools[0]']);
  });

  test('returns the same request if all names are accepted', () => {
    const request: CanonicalRequest = { ...REQUEST, tools: [], messages: [] };
    expect(runToEnd(renameTools(request, RULE, new Diagnostics())).request).toBe(request);
  });

  test('makes names that the provider accepts, different for different names', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100 }), { maxLength: 20 }), (names) => {
        const accepted = names.map((name) => providerToolName(name, RULE));
        for (const name of accepted) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(accepted).size).toBe(names.length);
      }),
    );
  });

  test('begins a name as the provider wants it', () => {
    const rule: ToolNameRule = { ...RULE, first: /^[A-Za-z_]/ };
    expect(providerToolName('1st', rule)).toMatch(/^_1st_[0-9a-f]{8}$/);
  });
});

test('calls of a response come back under the client’s names, streamed or not', () => {
  const originals = new Map([['files_read_1', 'files.read']]);
  const response = {
    id: 'r',
    created: 1,
    usage: undefined,
    choices: [
      {
        parts: [
          { type: 'tool-call', id: 'a', name: 'files_read_1', kind: 'function', input: '{}' },
          { type: 'tool-call', id: 'b', name: 'plain', kind: 'function', input: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'x' },
      },
    ],
  } as const;
  const restored = restoreToolNames(response, originals);
  expect(restored.choices[0]?.parts.map((part) => part.type === 'tool-call' && part.name)).toEqual([
    'files.read',
    'plain',
  ]);
  expect(collectResponse(restoreToolNamesIn(toStreamEvents(response), originals))).toEqual(restored);
});
