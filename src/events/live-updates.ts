/**
 * Tells what waits at this process that something has changed, here or at another one: open pages of their session, and
 * readers of their feed of events. A notice that is lost costs seconds: everybody looks for themselves, too.
 */
import { EventEmitter } from 'node:events';
import { type Tenant, tenantName } from '../checkout/tenant.ts';

export type LiveUpdates = ReturnType<typeof createLiveUpdates>;

/** The topic of a feed of events. That of a session is its id. */
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
