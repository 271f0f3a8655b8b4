import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';

/** Latin, Greek and Cyrillic, with digits of the same width. */
const PACKAGE = '@expo-google-fonts/ibm-plex-sans';
const FILES = {
  regular: '400Regular/IBMPlexSans_400Regular.ttf',
  strong: '600SemiBold/IBMPlexSans_600SemiBold.ttf',
} as const;

export type FontName = keyof typeof FILES;

const { resolve } = createRequire(import.meta.url);

/** The files of the fonts. */
export function readFonts(): Record<FontName, Buffer> {
  const read = (name: FontName) => readFileSync(resolve(`${PACKAGE}/${FILES[name]}`));
  return { regular: read('regular'), strong: read('strong') };
}

/** Characters that move or hide others, and those that have no shape. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const REPLACEMENT = '\uFFFD';

/**
 * A function that makes a text one that the font can show: characters that it lacks become replacement characters, so that
 * everybody sees that something is missing.
 */
export function createClean(file: Buffer): (text: string) => string {
  const font = create(file) as Font;
  return (text) => {
    const seen = text.normalize('NFC').replace(UNSEEN, ' ').trim();
    return Array.from(seen, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      return font.hasGlyphForCodePoint(codePoint) ? character : REPLACEMENT;
    }).join('');
  };
}
