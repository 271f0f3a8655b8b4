/** Maximum size of a catalogue file. A ConfigMap has the same limit. Without imports, for the web app. */
export const MAX_CATALOGUE_BYTES = 1_048_576;

/** Maximum size of an export of what a provider billed, in bytes. */
export const MAX_BILL_BYTES = 8_388_608;
