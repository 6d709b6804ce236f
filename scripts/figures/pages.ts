/** Parts of pages that follow from the code: the picture of the rooms, their figures, and where the lines of the store are. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatted, table } from '../reference/markdown.ts';
import { type Figures, figuresOf, lines, sum } from './count.ts';
import { houseOf, importsIn, roomsOf } from './rooms.ts';

/** Lines are told in hundreds: a page that every change made anew would be in the way of all of them. */
const inHundreds = (count: number): string => (Math.round(count / 100) * 100).toLocaleString('en-US');

/** The tree before its rooms were put in order, in which files lay loose and circles were; as `npm run figures -- 5cfa7f01` counts it. */
const BEFORE = {
  commit: '5cfa7f01',
  rooms: 30,
  floors: 10,
  arrows: 131,
  // Its rooms had no order for an import to run against.
  upward: '–',
  mutualRooms: 5,
  loose: 16,
  files: 354,
  lines: 38_978,
  storeFiles: 80,
  storeLines: 8_914,
  casts: 288,
  castsByUnknown: 16,
  linesOfOpenApi: 29_038,
};

function figuresTable(today: Figures): string {
  const rows = [
    ['Rooms', BEFORE.rooms, today.rooms.length],
    ['Floors on which they stand', BEFORE.floors, today.floors],
    ['Arrows between rooms', BEFORE.arrows, today.arrows],
    ['Imports that run up', BEFORE.upward, today.upward.length],
    ['Pairs of rooms that import each other', BEFORE.mutualRooms, today.mutualRooms.length],
    ['Files at the top of `src/`', BEFORE.loose, today.loose],
    ['Files of `src/`', BEFORE.files, today.files],
    ['Lines of `src/`, about', inHundreds(BEFORE.lines), inHundreds(today.lines)],
    ['Files of `src/store/`', BEFORE.storeFiles, today.storeFiles],
    ['Lines of `src/store/`, about', inHundreds(BEFORE.storeLines), inHundreds(today.storeLines)],
    ['Casts', BEFORE.casts, today.casts],
    ['Casts by way of `unknown`', BEFORE.castsByUnknown, today.castsByUnknown],
    ['Lines of `openapi.json`, about', inHundreds(BEFORE.linesOfOpenApi), inHundreds(today.linesOfOpenApi)],
  ] as const;
  return table(['Figure', `At ${BEFORE.commit}`, 'Today'], rows);
}

function roomsTable({ rooms }: Figures): string {
  return table(
    ['Room', 'Files', 'Lines, about', 'Rooms that it imports from'],
    rooms.map((room) => [`\`${room.name}\``, room.files, inHundreds(room.lines), room.imports]),
  );
}

/** The parts of the store; a file is of the first whose pattern it has. */
const parts: ReadonlyArray<readonly [name: string, files: RegExp]> = [
  ['what only SQLite has, in `sqlite/`', /^sqlite\//],
  ['what only PostgreSQL has, in `postgres/`', /^postgres\//],
  ['the rules of `db check`, in `check/`', /^check\//],
  ['lists of sessions, their filters and their search, in `resources/checkout*.ts`', /^resources\/checkout/],
  ['movements, sums and the overview', /^resources\/(movements|overview|totals)\.ts/],
  [
    'users, secrets, logos, the audit and the log of requests',
    /^resources\/(users|secrets|logos|audit|requests)\.ts/,
  ],
  ['everything else in `resources/`', /^resources\//],
  ['the interface, the tables, and what both databases have in the same way', /^/],
];

function partsTable(root: string): string {
  const store = join(root, 'src/store');
  const files = globSync('**/*.ts', { cwd: store });
  const partOf = (file: string) => parts.find(([, pattern]) => pattern.test(file))?.[0];
  const linesOf = (file: string) => lines(readFileSync(join(store, file), 'utf8'));
  const rows = parts.map(([name]) => {
    const own = files.filter((file) => partOf(file) === name);
    return [name, own.length, inHundreds(sum(own.map(linesOf)))] as const;
  });
  return table(
    ['Part', 'Files', 'Lines, about'],
    [...rows, ['all of `src/store/`', files.length, inHundreds(sum(files.map(linesOf)))]],
  );
}

const END = '\n<!-- The end of what is made. -->';

/** The page with a part made anew, in the place that is marked for it. */
function withPart(page: string, name: string, made: string): string {
  const mark = `<!-- ${name}: made by npm run generate. -->\n`;
  const begin = page.indexOf(mark);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`the page has no place for ${name}`);
  return page.slice(0, begin + mark.length) + made.trim() + page.slice(end);
}

/** The page of the architecture, with today's rooms and figures. */
export function architecturePage(page: string, root: string): string {
  const figures = figuresOf(root);
  const house = houseOf(roomsOf(importsIn(root)));
  const drawn = withPart(page, 'The picture of the rooms', house);
  const counted = withPart(drawn, 'The figures', figuresTable(figures));
  return formatted(withPart(counted, 'The rooms', roomsTable(figures)));
}

/** The page of the data, with where the lines of the store are today. */
export function dataPage(page: string, root: string): string {
  return formatted(withPart(page, 'The parts of the store', partsTable(root)));
}
