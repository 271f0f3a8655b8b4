/** Patterns of credentials of providers and common services. */
const SECRET_PATTERNS: readonly RegExp[] = [
  /\b(?:sk|rk|pk)-[A-Za-z0-9_-]{12,}/g,
  /\bAIza[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[A-Z0-9]{12,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:gsk|hf|xai|pplx|r8|nvapi)[_-][A-Za-z0-9_-]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]{12,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/g,
];

/** Offsets in a text, comments included, of what looks like a credential. */
export function findSecrets(text: string): number[] {
  const offsets = SECRET_PATTERNS.flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match.index));
  return [...new Set(offsets)].sort((a, b) => a - b);
}
