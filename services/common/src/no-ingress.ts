/** What a router responds if no ingress is connected to it. The command line then asks another router. */
export const NO_INGRESS = 'no ingress is connected to this router';
