/** Days for which deliveries and events are kept: the bounds of the settings, and the rule between them. */
export const retentionDays = {
  deliveries: { least: 4, most: 3650 },
  /** 0 keeps them for ever. */
  events: { least: 0, most: 36_500 },
} as const;

export type RetentionDays = { readonly deliveryDays: number; readonly eventDays: number };

/** True if every delivery that is kept has its event: it is sent again with the bytes of that. */
export const eventsOutliveDeliveries = ({ deliveryDays, eventDays }: RetentionDays): boolean =>
  eventDays === 0 || eventDays > deliveryDays;
