/** How a model takes thinking and sampling. */
export interface ModelKind {
  /** It decides itself how much it thinks: it takes an effort and no budget, and nothing that steers sampling. */
  readonly isAdaptive: boolean;
  /** It cannot be kept from thinking. */
  readonly alwaysThinks: boolean;
}

/** The version of a Claude model, before or behind its family: `claude-opus-4-7`, `claude-3-7-sonnet`, `claude-4.7-opus`. */
const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

const FIRST_ADAPTIVE = { major: 4, minor: 7 };

/**
 * Reads it from the model's name at the provider. From 4.7 on Claude models refuse `thinking.type: "enabled"`, and other
 * than default values of `temperature`, `top_p` and `top_k`; Fable and Mythos refuse `disabled` too. Names that say no
 * version, and models of others that speak this protocol, are taken for the older kind.
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
