/** Envelope of events for receivers and for readers of the feed. */
import { timestamp } from '../checkout/representation.ts';

/** Body of an event: compact JSON, its keys in this order, frozen from here on. `data` is JSON already. */
export function eventBody(
  type: string,
  id: string,
  nowMs: number,
  data: string,
  version: number,
  sequence: number,
): string {
  return (
    `{"type":"${type}","id":"${id}","object":"event","created_at":"${timestamp(nowMs)}",` +
    `"data":${data},"version":${version},"sequence":${sequence}}`
  );
}
