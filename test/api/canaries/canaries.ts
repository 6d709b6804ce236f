/** Values that nobody else has, in every field that takes them, and where they turn up. */
import type { ApiDocument } from '../document.ts';
import type { Data } from '../shop.ts';

/** Canaries among the values of a merchant or a payer; no two are equal. */
export function createCanaries(document: ApiDocument, receiverUrl: string) {
  const values = new Set<string>();
  // All numbers have four digits, so that none is the beginning of another.
  let count = 1000;

  function made(value: string): string {
    values.add(value);
    return value;
  }
  const text = () => made(`Zebulon Canary${count++}`);

  function stringFor(name: string, schema: Data): unknown {
    const { format, pattern, maxLength = 64, enum: words, examples = [] } = schema;
    if (words !== undefined) return words[0];
    if (/email/.test(name)) return made(`zebulon${count++}@canary.example`);
    if (/url$/.test(name)) {
      // The host of a receiver may be told; what stands behind it is a secret of the merchant's.
      values.add(`canary-token${count}`);
      return `${receiverUrl}?token=canary-token${count++}`;
    }
    if (name === 'number') return made(`5550177${count++}`);
    if (/^(country|calling_code|currency|invoice_currency)$/.test(name) || format !== undefined) {
      return examples[0] ?? 'DE';
    }
    if (maxLength < 20 || (pattern !== undefined && !new RegExp(pattern, 'u').test('Zebulon Canary1'))) {
      return examples[0] ?? made(`canary${count++}`);
    }
    return text();
  }

  /** A value with all of its fields; one of several forms in turn. */
  function fill(given: Data, name: string, depth = 0): unknown {
    const schema = document.follow(given);
    if (schema === undefined || depth > 8) return text();
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined) return fill(forms[count % forms.length], name, depth + 1);
    if (schema.const !== undefined) return schema.const;
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'object') {
      const known = Object.entries<Data>(schema.properties ?? {});
      const fields = known.map(([key, value]) => [key, fill(value, key, depth + 1)]);
      if (known.length === 0) fields.push([`note${count}`, text()]);
      return Object.fromEntries(fields);
    }
    if (type === 'array') return [fill(schema.items ?? {}, name, depth + 1)];
    if (type === 'string') return stringFor(name, schema);
    if (type === 'integer' || type === 'number') return schema.examples?.[0] ?? schema.minimum ?? 1;
    if (type === 'boolean') return true;
    return text();
  }

  /** The same where nobody expects it: wrong types, too long, in fields that do not exist. */
  function broken(value: unknown): unknown {
    if (typeof value === 'string') return count++ % 2 === 0 ? [value] : `${value} `.repeat(4000);
    if (typeof value === 'number') return text();
    if (Array.isArray(value)) return value.map(broken);
    if (typeof value !== 'object' || value === null) return text();
    const fields = Object.entries(value);
    const one = count++ % Math.max(1, fields.length);
    return Object.fromEntries(fields.map(([key, each], index) => [key, index === one ? broken(each) : each]));
  }

  return { values, made, text, fill: (schema: Data) => fill(schema, ''), broken };
}

/** Places searched for canaries. */
export function createPlaces(values: ReadonlySet<string>) {
  const found: string[] = [];
  let searched = 0;
  let bytes = 0;
  return {
    found,
    figures: () => ({
      places_searched: searched,
      searched_kib: Math.round(bytes / 1024),
      found: found.length,
    }),
    search(place: string, text: string, wanted: Iterable<string> = values): void {
      searched++;
      bytes += text.length;
      for (const value of wanted) {
        const at = text.indexOf(value);
        if (at >= 0) found.push(`${value} in ${place}: …${text.slice(Math.max(0, at - 150), at + 80)}…`);
      }
    },
  };
}
