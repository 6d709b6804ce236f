/**
 * Wakes the waiting parts of this process when something has changed, here or in another process: open pages of a
 * session, and readers of the event feed. A lost hint costs seconds: everybody looks for themselves, too.
 */
import { EventEmitter } from 'node:events';
import { type Tenant, tenantName } from '../checkout/tenant.ts';

export type LiveUpdates = ReturnType<typeof createLiveUpdates>;

/** Topic of an event feed. The topic of a session is its id. */
export const feedTopic = (tenant: Tenant): string => `feed ${tenantName(tenant)}`;

export function createLiveUpdates() {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic: string): void => {
      emitter.emit(topic);
    },
    /** Calls `listener` at each change of the topic until the returned function is called. */
    subscribe(topic: string, listener: () => void): () => void {
      emitter.on(topic, listener);
      return () => {
        emitter.off(topic, listener);
      };
    },
  };
}
