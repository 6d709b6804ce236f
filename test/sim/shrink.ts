/** Makes a failing history shorter: drops steps, ever fewer at once, as long as something still fails. */
export async function shrunk<T>(
  steps: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>,
  maxTries = 200,
): Promise<readonly T[]> {
  let left = steps;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && tries < maxTries; ) {
      const without = [...left.slice(0, at), ...left.slice(at + size)];
      tries++;
      if (await fails(without)) left = without;
      else at += size;
    }
  }
  return left;
}
