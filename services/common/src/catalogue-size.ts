/** Maximum size of a catalogue file. A ConfigMap has the same limit. Without imports, for the web app. */
export const MAX_CATALOGUE_BYTES = 1_048_576;
