interface Named {
  /** Empty for someone who was invited and has given none. */
  name: string;
  email: string;
}

/** What people are called: their name, or else their e-mail address. */
export function nameOf({ name, email }: Named): string {
  return name.trim() === '' ? email : name;
}

/** `RB` for Rosa Brandt, also if all that is known is rosa.brandt@example.com. */
export function initials({ name, email }: Named): string {
  const words = name.trim() === '' ? (email.split('@')[0] ?? '').split(/[._+-]+/) : name.trim().split(/\s+/);
  const letters = words.flatMap((word) => [...word].slice(0, 1));
  const [first = '', ...others] = letters;
  return (first + (others.at(-1) ?? '')).toUpperCase();
}
