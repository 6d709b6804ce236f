/** Thrown errors: their message, and what the system and SQLite say of them. */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message without line breaks, for what has to be one line. */
export function messageLineOf(error: unknown): string {
  return messageOf(error).replaceAll(/\s+/g, ' ');
}

/** Fields of errors of the system, and of SQLite, which has numbers of its own; whatever has none has none of them. */
export function systemFieldsOf(error: unknown): {
  readonly code?: string;
  readonly errcode?: number;
  readonly syscall?: string;
} {
  return (error ?? {}) as ReturnType<typeof systemFieldsOf>;
}
