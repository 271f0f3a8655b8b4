import styles from './skeleton.module.css';

/** In the shape of text that is being loaded. */
export function Skeleton({ width = '8ch', height = 12 }: { width?: string; height?: number }) {
  return <span className={styles['line']} style={{ width, height }} data-skeleton="true" aria-hidden="true" />;
}

/** In the shape of a table, chart or panel that is being loaded. */
export function SkeletonBlock({ height, label = 'Loading' }: { height: number; label?: string }) {
  return (
    <div className={styles['block']} style={{ height }} aria-busy="true">
      <span className="hidden">{label}</span>
    </div>
  );
}
