/**
 * Values beside objects that somebody else has made, such as requests. A weak map would hold them as well; it takes half a
 * microsecond for each object that comes new, this a tenth. Not for what is copied with `{ ...object }`: the copy has them too.
 */
export type Beside<Of extends object, Value> = {
  get(of: Of): Value | undefined;
  set(of: Of, value: Value): void;
};

export function createBeside<Of extends object, Value>(name: string): Beside<Of, Value> {
  const place = Symbol(name);
  type Carrier = Of & { [place]?: Value };
  return {
    get: (of: Carrier) => of[place],
    set(of: Carrier, value) {
      of[place] = value;
    },
  };
}

/**
 * The same beside objects that are copied with `{ ...object }`, or frozen: a copy begins without a value. A weak map would hold
 * these as well, but V8 makes one of all the sessions in memory anew behind each collection of everything: 35 ms in one turn.
 */
export function createBesideCopied<Of extends object, Value>(): Beside<Of, Value> {
  // A private field of an object that its constructor has been given: neither copied, nor listed, nor kept from one that is frozen.
  return class Holder extends Given {
    #value: Value | undefined;

    static get(of: object): Value | undefined {
      return #value in of ? of.#value : undefined;
    }

    static set(of: object, value: Value): void {
      const holder = #value in of ? of : new Holder(of);
      holder.#value = value;
    }
  };
}

/** Object that was given: the private fields of a class that extends this are put on it. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: what is returned gets the fields.
    return object;
  }
}
