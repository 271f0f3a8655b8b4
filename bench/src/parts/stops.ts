/** Stops what has been started, the last one first. */
export type Stops = (() => Promise<void>)[];

/** Stops everything from a position on; what cannot be stopped does not keep the others running. */
export async function stopFrom(stops: Stops, position: number): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops.splice(position).reverse()) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'parts of the benchmark could not be stopped');
}
