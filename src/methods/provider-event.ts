/** Inbound provider events, stored verbatim: events of providers, and entries of bank statements. */

import type { JsonObject } from '../checkout/session.ts';
import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';

/**
 * `waiting`: to be matched, or matched again, when it is due; `open`: a person has to decide; `done`: it has had its
 * effect, if any; `ignored`: a person has decided that it concerns nobody.
 */
export const noticeStates = ['waiting', 'open', 'done', 'ignored'] as const;
export type NoticeState = (typeof noticeStates)[number];

export type NoticeId = Id<'ntc'>;

export type Notice = {
  readonly id: NoticeId;
  readonly rail: string;
  /** The rail's own id of the event, unique within the rail: the same event twice is stored once. */
  readonly reference: string;
  readonly receivedAt: TenantTime;
  readonly state: NoticeState;
  /** Due time; null unless it is waiting. */
  readonly dueAt: TenantTime | null;
  /** Number of attempts to match it. */
  readonly tries: number;
  /** Content, and what became of it; its shape is the rail's. */
  readonly data: JsonObject;
};
