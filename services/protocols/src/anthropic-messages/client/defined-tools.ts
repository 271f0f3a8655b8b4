import type { JsonRecord } from '../../json/record.ts';

/*
 * Tools that Anthropic defines by their type and the client runs. Other models do not know them, so they get the
 * description and the input that Anthropic documents.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */

interface Definition {
  readonly description: string;
  readonly parameters: JsonRecord;
}

const text = (description: string): JsonRecord => ({ type: 'string', description });
const PATH = text('Absolute path of the file or folder.');
const LINES = {
  type: 'array',
  items: { type: 'integer' },
  minItems: 2,
  maxItems: 2,
  description: 'For `view`: first and last line, counted from 1; -1 for the end.',
};

function commands(names: readonly string[], properties: JsonRecord): JsonRecord {
  return {
    type: 'object',
    properties: { command: { type: 'string', enum: names }, ...properties },
    required: ['command'],
  };
}

const BASH: Definition = {
  description: 'Runs a command in a bash session that stays open between calls, and returns its output.',
  parameters: {
    type: 'object',
    properties: {
      command: text('The command; not needed for a restart.'),
      restart: { type: 'boolean', description: 'Restarts the session.' },
    },
  },
};

const MEMORY: Definition = {
  description: 'Keeps notes in files under /memories, which later conversations can read. View the folder first.',
  parameters: commands(['view', 'create', 'str_replace', 'insert', 'delete', 'rename'], {
    path: text('Path under /memories.'),
    view_range: LINES,
    file_text: text('For `create`: the content.'),
    old_str: text('For `str_replace`: the text to replace, which must occur once.'),
    new_str: text('For `str_replace`: the new text.'),
    insert_line: { type: 'integer', description: 'For `insert`: the line after which to insert; 0 for the beginning.' },
    insert_text: text('For `insert`: the text.'),
    old_path: text('For `rename`.'),
    new_path: text('For `rename`.'),
  }),
};

/** Its clients of May 2025 and before can undo, and read the text to insert from `new_str`. */
function textEditor(type: string): Definition {
  const isOld = type < 'text_editor_202507';
  const names = ['view', 'create', 'str_replace', 'insert', ...(type < 'text_editor_202504' ? ['undo_edit'] : [])];
  return {
    description: 'Views and edits text files. `view` shows a file with line numbers, or lists a folder.',
    parameters: commands(names, {
      path: PATH,
      view_range: LINES,
      file_text: text('For `create`: the content.'),
      old_str: text('For `str_replace`: the text to replace, which must occur once, with all its white space.'),
      new_str: text(isOld ? 'For `str_replace` and `insert`: the new text.' : 'For `str_replace`: the new text.'),
      insert_line: {
        type: 'integer',
        description: 'For `insert`: the line after which to insert; 0 for the beginning.',
      },
      ...(!isOld && { insert_text: text('For `insert`: the text.') }),
    }),
  };
}

/** The definition of a tool by its type; undefined for tools that only a model trained for them can use. */
export function definitionOf(type: string): Definition | undefined {
  if (type.startsWith('bash_')) return BASH;
  if (type.startsWith('text_editor_')) return textEditor(type);
  return type.startsWith('memory_') ? MEMORY : undefined;
}
