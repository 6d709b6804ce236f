/**
 * Milliseconds since the epoch in real time, as opposed to the clock of a tenant, which tests can move ahead: leases,
 * keys and stored answers go by it.
 */
export type RealTime = number & { readonly clock?: 'real' };
