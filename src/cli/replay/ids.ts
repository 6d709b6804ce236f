/** The ids of the other service, in the words of this one: learned from two answers to the same request. */

const ID = /\b[a-z]{2,5}_[0-9A-Za-z]{6,64}\b/g;

export function createIds() {
  const known = new Map<string, string>();

  return {
    /** The text with the ids of this service. */
    translated: (text: string): string => text.replaceAll(ID, (id) => known.get(id) ?? id),

    /** Pairs the ids that stand at the same places of both. */
    learn(theirs: unknown, ours: unknown): void {
      if (typeof theirs === 'string' && typeof ours === 'string') {
        if (theirs.match(ID)?.[0] === theirs && ours.match(ID)?.[0] === ours) known.set(theirs, ours);
      } else if (typeof theirs === 'object' && typeof ours === 'object') {
        const answered = Object(ours);
        for (const [name, each] of Object.entries(theirs ?? {})) this.learn(each, answered[name]);
      }
    },
  };
}
