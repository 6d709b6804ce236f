/** Content negotiation: the `Accept` header (RFC 9110 section 12.5.1). */

const EVENT_STREAM = 'text/event-stream';
const JSON_TYPES = new Set(['application/json', 'application/problem+json']);
/** Wildcards and an empty range count as JSON. */
const JSON_RANGES = new Set([...JSON_TYPES, '*/*', 'application/*', '']);

export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
  return rangesOf(accept).some(({ type, quality }) => JSON_RANGES.has(type) && quality > 0);
}

/** True if the header names one of these types, or all of its kind, such as `image/*`. */
export function acceptsType(accept: string, types: readonly string[]): boolean {
  return rangesOf(accept).some(
    ({ type, quality }) =>
      quality > 0 && types.some((each) => type === each || type === `${each.split('/', 1)[0]}/*`),
  );
}

/** A stream must be named, and preferred to JSON. */
export function wantsEventStream(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes(EVENT_STREAM)) return false;
  const ranges = rangesOf(accept);
  const best = (isMeant: (type: string) => boolean) =>
    Math.max(0, ...ranges.filter(({ type }) => isMeant(type)).map(({ quality }) => quality));
  return best((type) => type === EVENT_STREAM) > best((type) => JSON_TYPES.has(type));
}

function rangesOf(accept: string) {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.map((each) => /^q=(\d(?:\.\d*)?)$/.exec(each)?.[1]).find(Boolean);
    return { type, quality: quality === undefined ? 1 : Number(quality) };
  });
}
