import { CHAT_SHAPES } from './chat.ts';
import { NATIVE_SHAPES } from './native.ts';
import type { UsageShape } from './shape.ts';

/** Recorded shapes of usage of all providers. */
export const USAGE_SHAPES: readonly UsageShape[] = [...CHAT_SHAPES, ...NATIVE_SHAPES];
