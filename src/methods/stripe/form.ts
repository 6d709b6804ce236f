/** Form encoding of Stripe's requests: nested fields have names in brackets. */

/** `{ a: { b: ['c'] } }` is `a[b][0]=c`. What is undefined is left out. */
export function formOf(params: object): URLSearchParams {
  const form = new URLSearchParams();
  add(form, '', params);
  return form;
}

function add(form: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null) {
    form.append(name, String(value ?? ''));
    return;
  }
  for (const [key, inner] of Object.entries(value)) add(form, name === '' ? key : `${name}[${key}]`, inner);
}
