/** Logo: the image that an account shows on the payer's page and on documents, for each mode. Pure. */
import { hash } from 'node:crypto';
import type { Problem } from '../checkout/refusals.ts';
import { readImage, swapsSides } from '../lib/image.ts';

/** Limit of an image in bytes. */
export const MAX_LOGO_BYTES = 65_536;
/** Limit of its width and of its height in pixels. */
export const MAX_LOGO_PIXELS = 1000;

const extensions = { 'image/png': 'png', 'image/jpeg': 'jpg' } as const;
export type LogoType = keyof typeof extensions;
export const logoTypes = Object.keys(extensions) as readonly LogoType[];

export type Logo = {
  /** Its name at the payer's page, which says its size: another image has another name. */
  readonly name: string;
  /** The bytes in Base64. */
  readonly content: string;
};

/** Type and size of a logo, as its name says them: in pixels as it is shown, since it may have to be turned. */
export type LogoFacts = { readonly type: LogoType; readonly width: number; readonly height: number };

/** The logo that these bytes are, or all that is wrong with them. `declared` is the type that their sender gives them. */
export function readLogo(bytes: Buffer, declared?: string): Logo | { readonly problems: readonly Problem[] } {
  const isLong = bytes.length > MAX_LOGO_BYTES;
  const read = isLong ? `has ${bytes.length} bytes, but may have ${MAX_LOGO_BYTES}` : readImage(bytes);
  if (typeof read === 'string') return { problems: [{ pointer: '', detail: read }] };
  const { type } = read;
  const [width, height] = swapsSides(read) ? [read.height, read.width] : [read.width, read.height];
  const details = [
    ...(declared === undefined || declared === type ? [] : [`is ${type}, but is declared as ${declared}`]),
    ...(Math.min(width, height) > 0 ? [] : ['has no pixels']),
    ...(Math.max(width, height) <= MAX_LOGO_PIXELS
      ? []
      : [`has ${width} × ${height} pixels, but may have ${MAX_LOGO_PIXELS} × ${MAX_LOGO_PIXELS}`]),
  ];
  if (details.length > 0) return { problems: details.map((detail) => ({ pointer: '', detail })) };
  return { name: nameOf(bytes, { type, width, height }), content: bytes.toString('base64') };
}

function nameOf(bytes: Buffer, { type, width, height }: LogoFacts): string {
  return `${hash('sha256', bytes).slice(0, 16)}-${width}x${height}.${extensions[type]}`;
}

const NAME = /^[0-9a-f]{16}-(\d{1,4})x(\d{1,4})\.(png|jpg)$/;

/** What the name of a stored logo says. */
export function logoFacts(name: string): LogoFacts {
  const [, width, height, extension] = NAME.exec(name) ?? [];
  if (extension === undefined) throw new Error('that is not the name of a logo');
  const type = extension === 'png' ? 'image/png' : 'image/jpeg';
  return { type, width: Number(width), height: Number(height) };
}

/** The bytes of a stored logo. */
export const logoBytes = ({ content }: Pick<Logo, 'content'>): Buffer => Buffer.from(content, 'base64');

/** True if the content of a stored logo is the one that its name tells of. */
export function isWhole({ name, content }: Logo): boolean {
  const read = readLogo(logoBytes({ content }));
  return !('problems' in read) && read.name === name && read.content === content;
}
