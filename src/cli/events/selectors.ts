/** Which types of events somebody wants, as people type it. */
import { eventSelectors } from '../../events/types.ts';
import { UsageError } from '../usage-error.ts';

/** Types, `checkout.*` for all of a kind, `*` for all; separated by commas. */
export function selectorsOf(option: string, text: string): readonly string[] {
  const selectors = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const wrong = selectors.find((each) => !eventSelectors.includes(each));
  if (wrong !== undefined)
    throw new UsageError(`${option} takes ${eventSelectors.join(', ')}, and not "${wrong}"`);
  return selectors;
}
