/** Messages of whatever was thrown. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message without line breaks, for what has to be one line. */
export function messageLineOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s+/g, ' ');
}
