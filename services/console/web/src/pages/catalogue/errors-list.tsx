import type { Output } from '../../api/client.ts';
import styles from './catalogue.module.css';

type CatalogueError = Output<'GET /operator/catalogue'>['errors'][number];

/** Where a catalogue file is wrong, and why: in full, because the messages say what to change. */
export function CatalogueErrors({ errors }: { errors: readonly CatalogueError[] }) {
  return (
    <ol className={styles['errors']} aria-label="Errors in the file">
      {errors.map(({ line, column, message }) => (
        <li key={`${line}:${column} ${message}`}>
          <span className="muted">
            Line {line}, column {column}
          </span>
          <span>{message}</span>
        </li>
      ))}
    </ol>
  );
}
