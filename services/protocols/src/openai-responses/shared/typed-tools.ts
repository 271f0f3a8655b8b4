import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';

/*
 * Tools that the protocol itself defines and the client runs, each with items of its own for calls and outputs. Other
 * providers get them as functions, and a call of the function becomes the item that the client expects.
 */

/** Types of such tools. They are also the names of their functions. */
const TYPED_TOOLS = ['tool_search', 'local_shell', 'shell', 'apply_patch'] as const;
export type TypedTool = (typeof TYPED_TOOLS)[number];

/** The type of a declared tool, or of a tool that a choice names by its type; undefined for all others. */
export function typedToolOf({ type }: JsonRecord): TypedTool | undefined {
  return TYPED_TOOLS.find((one) => one === type);
}

const text = (description: string): JsonRecord => ({ type: 'string', description });
const number = (description: string): JsonRecord => ({ type: 'integer', description });
const texts = (description: string): JsonRecord => ({ type: 'array', items: { type: 'string' }, description });

function object(properties: JsonRecord, required: readonly string[]): JsonRecord {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The function of each tool, for clients that describe it only by its type. Its input has the members of the item. */
const FUNCTIONS: Readonly<Record<TypedTool, { readonly description: string; readonly parameters: JsonRecord }>> = {
  tool_search: {
    description: 'Searches for tools that can be called afterwards.',
    parameters: object({ query: text('What the tool should do.') }, ['query']),
  },
  local_shell: {
    description: "Runs a command on the user's computer and returns its output.",
    parameters: object(
      {
        command: texts('The program and its arguments.'),
        working_directory: text('Where to run it.'),
        timeout_ms: number('When to stop it, in milliseconds.'),
        env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Environment variables.' },
      },
      ['command'],
    ),
  },
  shell: {
    description: "Runs shell commands on the user's computer and returns the output of each.",
    parameters: object(
      {
        commands: texts('Command lines.'),
        timeout_ms: number('When to stop them, in milliseconds.'),
        max_output_length: number('Characters of output to return.'),
      },
      ['commands'],
    ),
  },
  apply_patch: {
    description:
      'Creates, changes or deletes one file. The diff of a new file has a "+" before each line; the diff of a change ' +
      'has "@@" lines with context, and lines that begin with " ", "-" or "+".',
    parameters: object(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The file.'),
        diff: text('What to write; not for a deletion.'),
      },
      ['type', 'path'],
    ),
  },
};

/** The description and parameters of a tool's function. The client's own take precedence. */
export function typedFunction(
  type: TypedTool,
  { description, parameters }: JsonRecord,
): { readonly description: string; readonly parameters: JsonRecord } {
  const known = FUNCTIONS[type];
  return {
    description: typeof description === 'string' ? description : known.description,
    parameters: isRecord(parameters) ? parameters : known.parameters,
  };
}

/** The members of a call's item that are the input of its function. */
export function typedInput(type: string, item: JsonRecord): unknown {
  switch (type) {
    case 'tool_search_call':
      return item['arguments'] ?? {};
    case 'local_shell_call': {
      const { type: _, ...action } = recordOr(item['action']);
      return action;
    }
    case 'shell_call':
      return item['action'] ?? {};
    case 'apply_patch_call':
      return item['operation'] ?? {};
    default: {
      const { type: _, id, call_id, status, ...rest } = item;
      return rest;
    }
  }
}

/** The members of a call's item, from the input that a model wrote. What it left out has the value for nothing. */
export function typedCall(tool: TypedTool, input: string): JsonRecord {
  const value = parseJson(input);
  const given = recordOr(value);
  switch (tool) {
    case 'tool_search':
      return { type: 'tool_search_call', execution: 'client', arguments: isRecord(value) ? value : {} };
    case 'local_shell':
      return {
        type: 'local_shell_call',
        action: { type: 'exec', ...given, command: commandOf(given['command']), env: recordOr(given['env']) },
      };
    case 'shell':
      return {
        type: 'shell_call',
        action: {
          commands: linesOf(given['commands']),
          timeout_ms: given['timeout_ms'] ?? null,
          max_output_length: given['max_output_length'] ?? null,
        },
        environment: { type: 'local' },
      };
    case 'apply_patch':
      return { type: 'apply_patch_call', operation: operationOf(given) };
    default:
      return tool satisfies never;
  }
}

/** Some models write a command line instead of a list. */
function commandOf(command: unknown): unknown[] {
  if (typeof command === 'string') return ['bash', '-lc', command];
  return Array.isArray(command) ? command : [];
}

function linesOf(commands: unknown): unknown[] {
  if (typeof commands === 'string') return [commands];
  return Array.isArray(commands) ? commands : [];
}

function operationOf({ type, path, diff }: JsonRecord): JsonRecord {
  const operation = { type: stringOr(type), path: stringOr(path) };
  return type === 'delete_file' ? operation : { ...operation, diff: stringOr(diff) };
}

/** The prefix of the ids of a tool's calls. */
export const TYPED_CALL_PREFIX: Readonly<Record<TypedTool, string>> = {
  tool_search: 'tsc_',
  local_shell: 'lsh_',
  shell: 'sh_',
  apply_patch: 'apc_',
};
