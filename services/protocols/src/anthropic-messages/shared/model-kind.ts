/** Which thinking and sampling settings a model accepts. */
export interface ModelKind {
  /** It decides itself how much to think: it accepts an effort, but no budget and no sampling settings. */
  readonly isAdaptive: boolean;
  /** Its thinking cannot be disabled. */
  readonly alwaysThinks: boolean;
}

/** The version of a Claude model, before or after its family: `claude-opus-4-7`, `claude-3-7-sonnet`, `claude-4.7-opus`. */
const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

const FIRST_ADAPTIVE = { major: 4, minor: 7 };

/**
 * Derives it from the model's name at the provider. From 4.7 on Claude models reject `thinking.type: "enabled"` and values
 * of `temperature`, `top_p` and `top_k` other than the default; Fable and Mythos reject `disabled` too. Names without a
 * version, and other models of compatible upstreams, count as the older kind.
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking and .../adaptive-thinking
 */
export function modelKind(upstreamModel: string): ModelKind {
  const version = VERSION.exec(upstreamModel);
  if (version === null) return { isAdaptive: false, alwaysThinks: false };
  const major = Number(version[1]);
  const minor = Number(version[2] ?? 0);
  const isAdaptive = major > FIRST_ADAPTIVE.major || (major === FIRST_ADAPTIVE.major && minor >= FIRST_ADAPTIVE.minor);
  return { isAdaptive, alwaysThinks: isAdaptive && /claude-(?:fable|mythos)/.test(upstreamModel) };
}
