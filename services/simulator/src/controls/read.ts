import { type Controls, controlsSchema, NO_CONTROLS } from './schema.ts';

export type ControlsResult = { ok: true; controls: Controls } | { ok: false; message: string };

/** Start of a directive. */
export const DIRECTIVE = '[simulate ';
/** Closing brackets tried as the end of a directive, whose JSON may contain some. */
const MAX_END_ATTEMPTS = 64;
const NONE: ControlsResult = { ok: true, controls: NO_CONTROLS };

/**
 * Reads the controls of a call from the body's `simulate` field and from a directive in a text, such as `[simulate
 * {"output_tokens": 5}]`. The field overrides the directive.
 *
 * @param field the field's value, undefined if absent
 * @param text a text of the user that may contain a directive
 */
export function readControls(field: unknown, text: string): ControlsResult {
  const start = text.indexOf(DIRECTIVE);
  if (field === undefined && start < 0) return NONE;
  const directive = start < 0 ? {} : parseDirective(text, start + DIRECTIVE.length);
  if (directive === undefined) return { ok: false, message: 'the [simulate {...}] directive is not a JSON object' };
  if (field !== undefined && !isObject(field)) return { ok: false, message: 'simulate must be an object' };
  const result = controlsSchema.safeParse({ ...directive, ...field });
  if (result.success) return { ok: true, controls: result.data };
  const issues = result.error.issues.map((issue) => `${['simulate', ...issue.path].join('.')}: ${issue.message}`);
  return { ok: false, message: issues.join('; ') };
}

function parseDirective(text: string, from: number): object | undefined {
  let end = from;
  for (let attempt = 0; attempt < MAX_END_ATTEMPTS; attempt += 1) {
    end = text.indexOf('}]', end) + 1;
    if (end === 0) return undefined;
    const parsed = tryParse(text.slice(from, end));
    if (parsed !== undefined) return isObject(parsed) ? parsed : undefined;
  }
  return undefined;
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
