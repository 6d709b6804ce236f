/** The text without the characters at its ends for which `isEdge` holds. Linear, which a pattern such as `/x+$/` is not. */
export function trimWhere(text: string, isEdge: (character: string) => boolean): string {
  let start = 0;
  let end = text.length;
  while (start < end && isEdge(text.charAt(start))) start++;
  while (end > start && isEdge(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
