/** What becomes of the secrets before a new one, for the one who has asked for it. Times are ISO 8601. */

/** `previousUntil` and `droppedUntil`: until when the one before signs, and until when the one before that was to. */
export function fateOfSecrets(previousUntil: string | null, droppedUntil: string | null): readonly string[] {
  return [
    previousUntil === null
      ? 'The one before is not used any more.'
      : `The one before signs as well until ${previousUntil}.`,
    ...(droppedUntil === null
      ? []
      : [`The one before that was to sign until ${droppedUntil}, and is not used any more.`]),
  ];
}
