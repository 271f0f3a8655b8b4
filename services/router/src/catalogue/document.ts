import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import { type Finding, formatPath, type Path, type Problem } from './problem.ts';

/** A parsed YAML or JSON text with the position of every value. */
export interface SourceDocument {
  /** The plain value, with prices as their source text. */
  value: unknown;
  /** Adds the place in the text to a finding: where the nearest existing node is. */
  locate: (finding: Finding) => Problem;
  /** A problem at each of these ascending offsets of the text, with the path there. */
  locateOffsets: (offsets: readonly number[], message: string) => Problem[];
  /** Whether a value exists at a path. */
  has: (path: Path) => boolean;
}

export type DocumentResult = { ok: true; document: SourceDocument } | { ok: false; problems: Problem[] };

/** Maximum aliases that are expanded, so that a small file cannot become a huge document. */
const MAX_ALIASES = 1_000;

/** Maximum maps and lists within each other. */
const MAX_DEPTH = 100;

/**
 * Parses a text; a syntax error is reported with its place, without quoting the text. The time is linear in the length of the
 * text, but for aliases: each may repeat the rest.
 */
export function readDocument(text: string): DocumentResult {
  const lines = new LineCounter();
  // The parser would compare each key with all keys before it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    return { ok: false, problems: faults.map(({ pos, message }) => ({ ...place(lines, pos[0]), path: '', message })) };
  }
  const findings = checkStructure(document.contents);
  if (findings.length > 0) {
    return {
      ok: false,
      problems: findings.map(({ offset, path, message }) => ({
        ...place(lines, offset),
        path: formatPath(path),
        message,
      })),
    };
  }
  keepPriceText(document);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return {
      ok: false,
      problems: [{ line: 1, column: 1, path: '', message: 'has too many or circular aliases' }],
    };
  }
  const find = finderIn(document);
  return {
    ok: true,
    document: {
      value,
      locate: ({ path, message }) => ({ ...place(lines, find(path).offset), path: formatPath(path), message }),
      locateOffsets: (offsets, message) => {
        const paths = pathsAt(document.contents, offsets);
        return offsets.map((offset, at) => ({ ...place(lines, offset), path: formatPath(paths[at] ?? []), message }));
      },
      has: (path) => find(path).complete,
    },
  };
}

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Fields of a price whose numbers are not rates. */
const NO_RATES: ReadonlySet<unknown> = new Set(['above_input_tokens']);

/** Replaces the rates within every `price` and `prices` by their source text, because a parsed number may be rounded. */
function keepPriceText(document: Document): void {
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || (pair.key.value !== 'price' && pair.key.value !== 'prices')) return;
      if (isMap(pair.value) || isSeq(pair.value)) visit(pair.value, { Pair: keepRateText });
    },
  });
}

function keepRateText(_: unknown, { key, value }: Pair): void {
  if (isScalar(key) && NO_RATES.has(key.value)) return;
  if (isScalar(value) && typeof value.value === 'number' && value.source !== undefined) value.value = value.source;
}

interface Found {
  offset: number;
  complete: boolean;
}

/**
 * Returns a function that finds the node at a path, or the deepest one on the way to it. For a map's entry the position is
 * that of its key.
 */
function finderIn(document: Document): (path: Path) => Found {
  const pairsOf = new WeakMap<YAMLMap, Map<string, Pair>>();
  const pairAt = (map: YAMLMap, key: PropertyKey) => {
    let pairs = pairsOf.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])));
      pairsOf.set(map, pairs);
    }
    return pairs.get(String(key));
  };
  return (path) => {
    let node: unknown = document.contents;
    let offset = startOf(node) ?? 0;
    for (const key of path) {
      if (isAlias(node)) node = node.resolve(document);
      if (isMap(node)) {
        const pair = pairAt(node, key);
        if (pair === undefined) return { offset, complete: false };
        offset = startOf(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node) && typeof key === 'number' && key < node.items.length) {
        node = node.items[key];
        offset = startOf(node) ?? offset;
      } else {
        return { offset, complete: false };
      }
    }
    return { offset: isScalar(node) || isAlias(node) ? (startOf(node) ?? offset) : offset, complete: true };
  };
}

function startOf(node: unknown): number | undefined {
  if (!isNodeWithRange(node)) return undefined;
  return node.range?.[0];
}

function isNodeWithRange(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'range' in node;
}

interface StructureFinding extends Finding {
  offset: number;
}

/** Keys that a map has twice, and what is too deep to be read by recursion. */
function checkStructure(contents: unknown): StructureFinding[] {
  const findings: StructureFinding[] = [];
  walk(contents, [], {
    map: (map, path) => {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (keys.has(name)) {
          const message = 'is set twice in one map';
          findings.push({ offset: startOf(key) ?? 0, path: [...path, name], message });
        }
        keys.add(name);
      }
    },
    tooDeep: (node, path) => {
      const message = `is nested more than ${MAX_DEPTH} levels deep`;
      findings.push({ offset: startOf(node) ?? 0, path: path.slice(0, 3), message });
    },
  });
  return findings;
}

/** The path of the scalar that covers each offset; empty when none does, as within a comment. Both are in ascending order. */
function pathsAt(contents: unknown, offsets: readonly number[]): Path[] {
  const paths: Path[] = offsets.map(() => []);
  let next = 0;
  walk(contents, [], {
    scalar: ({ range }, path) => {
      if (range == null) return;
      while (next < offsets.length && (offsets[next] ?? 0) < range[0]) next += 1;
      while (next < offsets.length && (offsets[next] ?? 0) < range[1]) {
        paths[next] = [...path];
        next += 1;
      }
    },
  });
  return paths;
}

interface Visitor {
  map?: (map: YAMLMap, path: Path) => void;
  /** A value with its path, or a key with the path of its map. */
  scalar?: (scalar: Scalar, path: Path) => void;
  tooDeep?: (node: unknown, path: Path) => void;
}

/** Visits nodes in the order of the text. Aliases are not followed. */
function walk(node: unknown, path: PropertyKey[], visitor: Visitor): void {
  if (isScalar(node)) {
    visitor.scalar?.(node, path);
  } else if ((isMap(node) || isSeq(node)) && path.length >= MAX_DEPTH) {
    visitor.tooDeep?.(node, path);
  } else if (isMap(node)) {
    visitor.map?.(node, path);
    for (const { key, value } of node.items) {
      walk(key, path, visitor);
      path.push(isScalar(key) ? String(key.value) : '');
      walk(value, path, visitor);
      path.pop();
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      path.push(index);
      walk(item, path, visitor);
      path.pop();
    }
  }
}
