import fc, { type Arbitrary } from 'fast-check';
import type { JsonRecord } from '../../json/record.ts';
import type { ToolCallPart, ToolResultPart } from '../part.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../tool.ts';
import { cacheOf, inputPart, optionally, type PartSwitches, partSeal, someText } from './arbitrary-parts.ts';

export interface ToolSwitches extends PartSwitches {
  readonly customTools?: boolean;
  readonly grammars?: boolean;
  /** The strict flag of functions. */
  readonly strict?: boolean;
  /** Functions without a schema. */
  readonly bareFunctions?: boolean;
  /** Inputs of function calls that are no JSON object. */
  readonly invalidInputs?: boolean;
  /** Media in tool results. */
  readonly resultMedia?: boolean;
  /** Results of several parts. */
  readonly resultParts?: boolean;
  readonly resultErrors?: boolean;
  readonly toolChoices?: readonly ToolChoice['type'][];
}

const description = fc.lorem({ maxCount: 4 });
const schema: Arbitrary<JsonRecord> = fc.constantFrom(
  { type: 'object', properties: {} },
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
);

/** Up to three tools of different names. */
export function tools(switches: ToolSwitches): Arbitrary<Tool[]> {
  return fc
    .array(tool(switches), { maxLength: 3 })
    .map((list) => list.map((one, i) => ({ ...one, name: `tool_${i}` })));
}

function tool(switches: ToolSwitches): Arbitrary<Tool> {
  const kinds: Arbitrary<Tool>[] = [functionTool(switches)];
  if (switches.customTools !== false) kinds.push(customTool(switches));
  return fc.oneof(...kinds);
}

function functionTool(switches: ToolSwitches): Arbitrary<FunctionTool> {
  const bare = fc.record<FunctionTool>({ type: fc.constant('function'), name: fc.constant('') });
  const withSchema = fc.tuple(bare, schema).map(([one, parameters]): FunctionTool => ({ ...one, parameters }));
  const base = switches.bareFunctions === false ? withSchema : fc.oneof(bare, withSchema);
  const described = optionally(base, { description, ...cacheOf(switches) });
  return optionally(described, switches.strict === false ? undefined : { strict: fc.boolean() });
}

function customTool(switches: ToolSwitches): Arbitrary<CustomTool> {
  const base = fc.record({ type: fc.constant('custom' as const), name: fc.constant('') });
  const grammar = fc.record({ syntax: fc.constantFrom('lark', 'regex'), definition: someText });
  return optionally(base, { description, ...(switches.grammars !== false && { grammar }), ...cacheOf(switches) });
}

/** A choice among these tools. */
export function toolChoice(list: readonly Tool[], switches: ToolSwitches): Arbitrary<ToolChoice> | undefined {
  const names = list.map((one) => one.name);
  if (names.length === 0) return undefined;
  const types = switches.toolChoices ?? ['auto', 'none', 'required', 'tool', 'allowed'];
  return types.length === 0 ? undefined : fc.oneof(...types.map((type) => choiceOf(type, names)));
}

function choiceOf(type: ToolChoice['type'], names: readonly string[]): Arbitrary<ToolChoice> {
  switch (type) {
    case 'auto':
    case 'none':
    case 'required':
      return fc.constant({ type });
    case 'tool':
      return fc.record({ type: fc.constant(type), name: fc.constantFrom(...names) });
    case 'allowed':
      return fc.record({
        type: fc.constant(type),
        mode: fc.constantFrom('auto', 'required'),
        names: fc.subarray([...names], { minLength: 1 }),
      });
    default:
      return type satisfies never;
  }
}

/** A call of one of these tools, or of some function when there are none. */
export function toolCall(list: readonly Tool[], switches: ToolSwitches): Arbitrary<ToolCallPart> {
  const some: Tool = { type: 'function', name: 'tool_0' };
  const id = fc.stringMatching(/^call_[a-z0-9]{6,12}$/);
  return fc.constantFrom(...(list.length === 0 ? [some] : list)).chain(({ type, name }) => {
    const input = type === 'custom' ? someText : functionInput(switches);
    const base = fc.record<ToolCallPart>({
      type: fc.constant('tool-call'),
      id,
      name: fc.constant(name),
      kind: fc.constant(type),
      input,
    });
    return optionally(base, partSeal(switches));
  });
}

function functionInput(switches: ToolSwitches): Arbitrary<string> {
  const object = fc
    .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value));
  const invalid = fc.constantFrom('{"city": "Par', 'Paris', '[1]');
  return switches.invalidInputs === false ? object : fc.oneof({ arbitrary: object, weight: 4 }, invalid);
}

/** The result of a call. */
export function toolResult(call: ToolCallPart, switches: ToolSwitches): Arbitrary<ToolResultPart> {
  const media = switches.resultMedia === false ? { ...switches, media: [] } : switches;
  return fc.record({
    type: fc.constant('tool-result'),
    callId: fc.constant(call.id),
    kind: fc.constant(call.kind),
    parts: fc.array(inputPart(media), { minLength: 1, maxLength: switches.resultParts === false ? 1 : 2 }),
    isError: switches.resultErrors === false ? fc.constant(false) : fc.boolean(),
  });
}
