import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { count } from '../format/number.ts';
import { Button } from './button.tsx';
import { Note } from './note.tsx';

interface FileButtonProps {
  /** What the names of files end with: `.csv`. */
  types: readonly string[];
  maxBytes: number;
  /** What to do when a file is too large. */
  advice?: string;
  look?: 'primary' | 'secondary';
  pending?: string | false;
  /** Gets the content of the chosen file. */
  onChoose: (content: string) => void;
}

/** Chooses a file and reads it, unless it is too large. */
export function FileButton({ types, maxBytes, advice = '', onChoose, ...button }: FileButtonProps) {
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    const isTooLarge = file.size > maxBytes;
    setTooLarge(isTooLarge ? `${file.name} has ${count(file.size)} bytes, of ${count(maxBytes)} at most.` : null);
    if (!isTooLarge) onChoose(await file.text());
  };
  return (
    <>
      <FileTrigger acceptedFileTypes={types} onSelect={(files) => void choose(files?.[0])}>
        <Button {...button}>Choose file</Button>
      </FileTrigger>
      {tooLarge !== null && (
        <Note tone="bad" title="The file is too large">
          {tooLarge} {advice}
        </Note>
      )}
    </>
  );
}
