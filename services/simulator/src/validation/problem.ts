import type { z } from 'zod';

/** A problem of a request, independent of the provider's error format. */
export interface Problem {
  kind: 'unknown' | 'missing' | 'type' | 'value';
  path: readonly PropertyKey[];
  message: string;
}

/** The first problem, with the path that a reader would name. */
export function firstProblem(error: z.core.$ZodError): Problem {
  const [issue] = error.issues;
  if (issue === undefined) return { kind: 'value', path: [], message: 'invalid' };
  const found = deepest(issue, []);
  return problemOf(found.issue, found.path);
}

/** Of the branches of a union, the intended one: the one that fails deepest. */
function deepest(
  issue: z.core.$ZodIssue,
  above: readonly PropertyKey[],
): { issue: z.core.$ZodIssue; path: readonly PropertyKey[] } {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union') return { issue, path };
  let best: { issue: z.core.$ZodIssue; path: readonly PropertyKey[] } = { issue, path };
  for (const branch of issue.errors) {
    const [first] = branch;
    if (first === undefined) continue;
    const inner = deepest(first, path);
    if (inner.path.length > best.path.length) best = inner;
  }
  return best;
}

function problemOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): Problem {
  switch (issue.code) {
    case 'unrecognized_keys':
      return { kind: 'unknown', path: [...path, ...issue.keys.slice(0, 1)], message: 'unknown field' };
    case 'invalid_type':
      return issue.input === undefined && issue.message.endsWith('received undefined')
        ? { kind: 'missing', path, message: 'field required' }
        : { kind: 'type', path, message: issue.message };
    default:
      return { kind: 'value', path, message: issue.message };
  }
}

/** A path in the format of OpenAI and Google: `messages[0].content`. */
export function bracketPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** A path in Anthropic's format: `messages.0.content`. */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
