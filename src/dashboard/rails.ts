/** Rails at which an account can have credentials of its own, with their names. */
export const credentialRails: ReadonlyArray<readonly [rail: string, name: string]> = [['stripe', 'Stripe']];
