import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { toast } from './toast.tsx';

interface CopyButtonProps {
  text: string;
  /** What is copied, for screen readers: `trace id`. */
  what: string;
  /** With the word `Copy`; otherwise an icon. */
  labelled?: boolean;
  look?: 'primary' | 'secondary' | 'quiet';
  onCopied?: () => void;
}

export function CopyButton({ text, what, labelled = false, look = 'quiet', onCopied }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      onCopied?.();
    } catch {
      toast({
        kind: 'failed',
        message: `This browser does not allow copying. Select the ${what} and copy it by hand.`,
      });
    }
  };

  return (
    <Button
      look={look}
      size={labelled ? 'normal' : 'small'}
      aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
      onPress={() => void copy()}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
      {labelled && (copied ? 'Copied' : 'Copy')}
    </Button>
  );
}
