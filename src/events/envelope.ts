/** The envelope of an event, as receivers and readers of the feed get it. Only this file knows how it is written. */

import { timestamp } from '../checkout/representation.ts';
import type { TenantTime } from '../checkout/tenant.ts';

/** An event as it was read. */
export type EventEnvelope<T> = {
  readonly type: string;
  readonly id: string;
  readonly object: 'event';
  readonly created_at: string;
  readonly data: T;
  readonly version: number;
  readonly sequence: number;
};

/** The fields that are looked for in the text of a body, by their names. */
export const eventFields = { data: 'data', version: 'version', sequence: 'sequence' } as const;

const BEFORE_DATA = `,"${eventFields.data}":`;
const BEHIND_DATA = `,"${eventFields.version}":`;

/** The body of an event: compact JSON, its keys in this order, frozen from here on. `data` is JSON already. */
export function eventBody(
  type: string,
  id: string,
  nowMs: TenantTime,
  data: string,
  version: number,
  sequence: number,
): string {
  return (
    `{"type":"${type}","id":"${id}","object":"event","created_at":"${timestamp(nowMs)}"` +
    `${BEFORE_DATA}${data}${BEHIND_DATA}${version},"${eventFields.sequence}":${sequence}}`
  );
}

/** Reads a body that this service has made. */
export function parseEvent<T>(body: string): EventEnvelope<T> {
  return JSON.parse(body);
}

/** The data as it stands in the body: JSON. */
export function dataOfEvent(body: string): string {
  return body.slice(startOfData(body), endOfData(body));
}

/** No body has more characters before its data, or behind them. */
export const aroundData = { before: 256, behind: 64 };

/** The body with other data, and everything else as it was. */
export function withData(body: string, data: string): string {
  return `${body.slice(0, startOfData(body))}${data}${body.slice(endOfData(body))}`;
}

/** Nothing before the data is text of somebody else's. */
function startOfData(body: string): number {
  return body.indexOf(BEFORE_DATA) + BEFORE_DATA.length;
}

/** Nothing behind the data is, either: what the data themselves have of that name stands before the last one. */
function endOfData(body: string): number {
  return body.lastIndexOf(BEHIND_DATA);
}
