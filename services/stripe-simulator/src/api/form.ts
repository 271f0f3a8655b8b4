import { badParameter, StripeFailure } from './failure.ts';

/** A parameter: a text, a list or a group. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = { [name: string]: FormValue };

/** Maximum number of parameters in a call. */
const MAX_PARAMETERS = 1_000;
const MAX_DEPTH = 8;

type Group = Map<string, string | Group>;

/** Parses `a[b][0]=c`, with an empty pair of brackets for the next of a list. @throws StripeFailure */
export function parseForm(text: string): Form {
  const root: Group = new Map();
  let count = 0;
  for (const [key, value] of new URLSearchParams(text)) {
    count += 1;
    if (count > MAX_PARAMETERS) throw new StripeFailure(400, `A call has at most ${MAX_PARAMETERS} parameters.`);
    put(root, key, value);
  }
  return groupIn(root);
}

function put(root: Group, key: string, value: string): void {
  const path = pathOf(key);
  let group = root;
  for (const [depth, part] of path.entries()) {
    const name = part === '' ? String(group.size) : part;
    if (depth === path.length - 1) {
      if (group.get(name) instanceof Map) throw badParameter(key, `Invalid object: ${key}`);
      group.set(name, value);
      return;
    }
    const next = group.get(name) ?? new Map();
    if (typeof next === 'string') throw badParameter(key, `Invalid object: ${key}`);
    group.set(name, next);
    group = next;
  }
}

function pathOf(key: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (match === null) throw badParameter(key, `Received unknown parameter: ${key}`, 'parameter_unknown');
  const [, name = '', rest = ''] = match;
  const path = [name, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, part]) => part ?? '')];
  if (path.length > MAX_DEPTH) throw badParameter(key, `Received unknown parameter: ${key}`, 'parameter_unknown');
  return path;
}

function groupIn(group: Group): Form {
  // Without a prototype's names, whatever a caller sends.
  return Object.fromEntries(
    [...group].map(([name, value]) => [name, typeof value === 'string' ? value : valueIn(value)]),
  );
}

/** Consecutive numbers from 0 make a list, as the official libraries write one. */
function valueIn(group: Group): FormValue {
  const isList = [...group.keys()].every((name, index) => name === String(index));
  if (!isList) return groupIn(group);
  return [...group.values()].map((value) => (typeof value === 'string' ? value : valueIn(value)));
}
