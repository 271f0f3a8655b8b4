import type { z } from 'zod';

/** What is wrong with a request, before a provider's error body says it. */
export interface Problem {
  kind: 'unknown' | 'missing' | 'type' | 'value';
  path: readonly PropertyKey[];
  message: string;
}

/** The first thing that is wrong, as a reader of the request would name it. */
export function firstProblem(error: z.core.$ZodError): Problem {
  const [issue] = error.issues;
  if (issue === undefined) return { kind: 'value', path: [], message: 'invalid' };
  const found = deepest(issue, []);
  return problemOf(found.issue, found.path);
}

/** Of the branches of a union the one that was meant: the one that fails farthest inside. */
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

/** A path as OpenAI and Google write it: `messages[0].content`. */
export function bracketPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** A path as Anthropic writes it: `messages.0.content`. */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
