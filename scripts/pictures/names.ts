/** Pictures of the dashboard: which screens have one, and its name. */
import type { Declared } from '../../src/dashboard/screen.ts';

export const FOLDER = 'docs/reference/dashboard';

/** Screens that are shown in the dark and on a narrow window as well. */
const mainScreens: ReadonlySet<string> = new Set([
  'sign-in',
  'overview',
  'sessions',
  'sessions-id',
  'bank',
  'reports',
]);

/** Further pictures of a screen, by the ends of their names. */
export const furtherOf = (picture: string): ReadonlyArray<'dark' | 'narrow'> =>
  mainScreens.has(picture) ? ['dark', 'narrow'] : [];

/** The file of a picture: WebP, which takes a third of what PNG does. */
export const fileOf = (picture: string, further = ''): string =>
  `${picture}${further === '' ? '' : `-${further}`}.webp`;

/** Ways that lead to a file, to the provider of sign-ins, or on to another screen. */
const NO_SCREEN = /\.\w+$|\/(?:export|content|image)$|^\/profile\/first-password$|^\/oidc(?:\/|$)|^$|^\/\*$/;

/** Name of the picture of a screen, without its ending; null for what is no screen. */
export function pictureOf({ method, path }: Declared): string | null {
  if (method !== 'GET' || NO_SCREEN.test(path)) return null;
  return path.replace('/:account/:mode', '').slice(1).replaceAll('/', '-').replaceAll(':', '');
}
