/**
 * Tells the pages that are open at this process that a session has changed, here or at another one. A notice that is
 * lost costs a page seconds: its stream looks for itself.
 */
import { EventEmitter } from 'node:events';

export type LiveUpdates = ReturnType<typeof createLiveUpdates>;

export function createLiveUpdates() {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (checkoutId: string): void => {
      emitter.emit(checkoutId);
    },
    /** Calls `listener` at each change of the session until the returned function is called. */
    subscribe(checkoutId: string, listener: () => void): () => void {
      emitter.on(checkoutId, listener);
      return () => {
        emitter.off(checkoutId, listener);
      };
    },
  };
}
