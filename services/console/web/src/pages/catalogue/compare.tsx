import { useRef, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import type { Output } from '../../api/client.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { CallForm } from '../../components/call-form.tsx';
import { TextField } from '../../components/field.tsx';
import forms from '../../components/forms.module.css';
import { Empty, Note } from '../../components/note.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { count, plural } from '../../format/number.ts';
import { CatalogueErrors } from './errors-list.tsx';

type Comparison = Output<'POST /operator/catalogue/compare'>;
type Change = Comparison['changes'][number];

const MAX_BYTES = 4_000_000;

/** Compares a pasted or chosen file with the catalogue in use. */
export function Compare() {
  const [content, setContent] = useState('');
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const result = useRef<HTMLDivElement>(null);
  const compare = useChange('POST /operator/catalogue/compare', { failed: null });
  const run = (text: string) =>
    compare.mutate({ body: { content: text } }, { onSuccess: () => result.current?.focus() });
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      setTooLarge(`${file.name} has ${count(file.size)} bytes. A catalogue file has at most ${count(MAX_BYTES)}.`);
      return;
    }
    setTooLarge(null);
    const text = await file.text();
    setContent(text);
    run(text);
  };
  return (
    <>
      <CallForm
        failed="The file was not compared."
        error={compare.error}
        fields={['content']}
        onSubmit={() => run(content)}
      >
        {tooLarge !== null && (
          <Note tone="bad" title="The file is too large">
            {tooLarge}
          </Note>
        )}
        <TextField
          label="Content of the file"
          name="content"
          rows={8}
          mono
          value={content}
          onChange={setContent}
          placeholder="Paste a catalogue file, or choose one"
        />
        <div className={forms['submit']}>
          <Button
            look="primary"
            type="submit"
            isDisabled={content.trim() === ''}
            pending={compare.isPending && 'Comparing'}
          >
            Compare
          </Button>
          <FileTrigger acceptedFileTypes={['.yaml', '.yml', '.json']} onSelect={(files) => void choose(files?.[0])}>
            <Button>Choose file</Button>
          </FileTrigger>
        </div>
      </CallForm>
      <div ref={result} tabIndex={-1} role="status" className="stack">
        {compare.data !== undefined && <Result comparison={compare.data} />}
      </div>
    </>
  );
}

function Result({ comparison: { errors, changes } }: { comparison: Comparison }) {
  if (errors.length > 0) {
    return (
      <>
        <Note tone="bad" title={`This file has ${plural(errors.length, 'error')}`}>
          It would not be used. Correct it, then compare again.
        </Note>
        <CatalogueErrors errors={errors} />
      </>
    );
  }
  if (changes.length === 0) return <Empty title="No changes">This file means the same as the catalogue in use.</Empty>;
  return (
    <>
      <p className="strong">{plural(changes.length, 'change')}</p>
      <Table label="Changes" columns={COLUMNS} rows={changes} rowId={({ model, field }) => `${model} ${field}`} />
    </>
  );
}

const COLUMNS: Column<Change>[] = [
  { id: 'model', title: 'Model', cell: ({ model }) => <code>{model}</code> },
  { id: 'field', title: 'What', phone: 'detail', cell: ({ field }) => field },
  {
    id: 'before',
    title: 'Now',
    align: 'end',
    phone: 'value',
    cell: ({ before }) => (before === null ? <span className="muted">none</span> : before),
  },
  {
    id: 'after',
    title: 'With this file',
    align: 'end',
    phone: 'end',
    cell: ({ after }) =>
      after === null ? <span className="muted">removed</span> : <span className="strong">{after}</span>,
  },
];
