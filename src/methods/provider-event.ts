/** What comes in from rails without being asked for, kept as it came: events of providers and entries of bank statements. */
import type { JsonObject } from '../checkout/session.ts';

/**
 * `waiting`: to be matched, or matched again, when it is due; `open`: a person has to decide; `done`: it has had its
 * effect, or there was none to have; `ignored`: a person has decided that it concerns nobody.
 */
export const noticeStates = ['waiting', 'open', 'done', 'ignored'] as const;
export type NoticeState = (typeof noticeStates)[number];

export type Notice = {
  readonly id: string;
  readonly rail: string;
  /** The rail's own id of it, unique within the rail: the same notice twice is one. */
  readonly reference: string;
  readonly receivedAt: number;
  readonly state: NoticeState;
  /** When it is to be looked at; null unless it is waiting. */
  readonly dueAt: number | null;
  /** How often it was looked at in vain. */
  readonly tries: number;
  /** What came, and what was made of it; its shape is the rail's. */
  readonly data: JsonObject;
};
