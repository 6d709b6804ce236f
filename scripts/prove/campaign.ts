/** A campaign of `npm run prove`: how it is run, and what it must reach. */

/** The chapters of the page, in their order. */
export const CHAPTERS = ['Nothing lost, nothing doubled', 'Nobody in', 'Nobody in the way'] as const;

export interface Campaign {
  /** The campaign's name in the tests' figures and on the command line. */
  readonly name: string;
  readonly chapter: (typeof CHAPTERS)[number];
  /** The procedure, and the result that it must have. */
  readonly what: string;
  /** Test files, or programs that measure, each of them in a process of its own, one after the other. */
  readonly files: readonly string[];
  /** Databases for suites that run on either. */
  readonly databases?: readonly ('sqlite' | 'postgres')[];
  /** The factor by which the campaign is longer than in `npm test`. */
  readonly scale: number;
  /** Settings that try it in a few seconds; absent where that would show nothing. */
  readonly short?: { readonly scale: number; readonly environment?: Readonly<Record<string, string>> };
  /** Set for campaigns that run on the nodes of scripts/citus.sh, whose source OPENTILL_CITUS names. */
  readonly onCitus?: boolean;
  /** Further settings of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The figures that count: each at least, or at most, so much. `tests` is the number of those that have passed. */
  readonly reach: Readonly<Record<string, Bound>>;
  /** The time limit of each file. */
  readonly limitMinutes: number;
}

/** A campaign of a file that is one chapter. */
export type Listed = Omit<Campaign, 'chapter'>;

export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** Figures that the comparison with what was acknowledged must not find. */
export const nothingWrong: Campaign['reach'] = {
  lost: { atMost: 0 },
  doubled: { atMost: 0 },
  half_applied: { atMost: 0 },
};
