import { parseSync, Visitor } from 'rolldown/utils';

/** A named piece of code: a function, a method, a class, or a variable with its value. */
export interface Definition {
  /** Its names from the outside in, such as `['Lease', 'returnFree']`. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
  /** Absent where it is not a function. */
  readonly body?: Body;
}

export interface Body {
  readonly start: number;
  readonly end: number;
  /** An arrow function without braces. */
  readonly isExpression: boolean;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
}

interface Positioned {
  readonly start: number;
  readonly end: number;
}

interface FunctionNode {
  readonly type: string;
  readonly body?: Positioned | null;
  readonly expression?: unknown;
  readonly async?: unknown;
  readonly generator?: unknown;
}

/** All definitions in a TypeScript source, also those within others. */
export function definitionsIn(file: string, text: string): Definition[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const found: Definition[] = [];
  const path: string[] = [];
  const enter = (name: string | undefined, node: Positioned, value: FunctionNode | null) => {
    path.push(name ?? '');
    if (name === undefined) return;
    const body = value === null ? undefined : bodyOf(value);
    found.push({ path: [...path], start: node.start, end: node.end, ...(body && { body }) });
  };
  const leave = () => {
    path.pop();
  };
  new Visitor({
    FunctionDeclaration: (node) => enter(node.id?.name, node, node),
    'FunctionDeclaration:exit': leave,
    ClassDeclaration: (node) => enter(node.id?.name, node, null),
    'ClassDeclaration:exit': leave,
    VariableDeclarator: (node) => enter(nameOf(node.id), node, node.init),
    'VariableDeclarator:exit': leave,
    MethodDefinition: (node) => enter(nameOf(node.key), node, node.value),
    'MethodDefinition:exit': leave,
    PropertyDefinition: (node) => enter(nameOf(node.key), node, node.value),
    'PropertyDefinition:exit': leave,
    Property: (node) => enter(nameOf(node.key), node, node.value),
    'Property:exit': leave,
  }).visit(program);
  return found;
}

function nameOf(node: { readonly type: string; readonly name?: unknown }): string | undefined {
  if (typeof node.name !== 'string') return undefined;
  return node.type === 'PrivateIdentifier' ? `#${node.name}` : node.name;
}

function bodyOf({ type, body, expression, async, generator }: FunctionNode): Body | undefined {
  if (!type.endsWith('FunctionExpression') && type !== 'FunctionDeclaration') return undefined;
  if (body === null || body === undefined) return undefined;
  return {
    start: body.start,
    end: body.end,
    isExpression: expression === true,
    isAsync: async === true,
    isGenerator: generator === true,
  };
}
