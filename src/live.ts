/** Tells open pages of this process that a session has changed. Losing a notice loses nothing: a reload shows the truth. */
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
