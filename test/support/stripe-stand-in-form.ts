/** Stripe's encoding of requests: forms with names in brackets. */

/** A parsed form: texts, and nested forms; a list is an object with numbers for names. */
export type Form = { [name: string]: string | Form };

/** `a[b][0]=c` is `{ a: { b: { 0: 'c' } } }`. */
export function readForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    const last = path.pop() ?? '';
    let place = form;
    for (const part of path) {
      const inner = place[part];
      const next: Form = typeof inner === 'object' ? inner : {};
      place[part] = next;
      place = next;
    }
    place[last] = value;
  }
  return form;
}

export function part(form: Form, name: string): Form {
  const value = form[name];
  return typeof value === 'object' ? value : {};
}

export function text(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}

export function texts(form: Form, name: string): string[] {
  return Object.values(part(form, name)).filter((each) => typeof each === 'string');
}
