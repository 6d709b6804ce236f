/** The turns of lists, wherever they are read: how many may wait, and what the next one is told. */
import { StoreUnavailable } from './errors.ts';

export const listTurns = { maxWaiting: 1000, maxWaitingOfTenant: 250 };

export const tooManyLists = () => new StoreUnavailable('too many lists wait already');
