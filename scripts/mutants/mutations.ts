/**
 * All single changes of a source file that this tool knows: each of them is a small mistake that a person could make.
 *
 * Left alone are imports, types, regular expressions, texts of more than one word (they are for people) and `??` before
 * an empty literal (it mostly satisfies the compiler).
 */
import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';

export type Mutation = {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  /** The line or lines concerned, before and after. */
  readonly before: string;
  readonly after: string;
  /** The whole file with the mistake. */
  readonly text: string;
};

/** A node of the syntax tree as it is walked: the fields that a kind of node has are read where the kind is known. */
type Tree = Node & Readonly<Record<string, unknown>>;

type Edit = { readonly kind: string; readonly start: number; readonly end: number; readonly by: string };

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '&&': '||',
  '||': '&&',
  '&': '|',
  '|': '&',
  '+=': '-=',
  '-=': '+=',
  '++': '--',
  '--': '++',
};

/** `find` has no mutation: a search by id has one match at most. */
const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  findLast: 'find',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  floor: 'ceil',
  ceil: 'floor',
};

export function mutationsOf(file: string, source: string): Mutation[] {
  const code = stripTypeScriptTypes(source, { mode: 'strip' });
  if (code.length !== source.length) throw new Error(`${file}: positions have moved with the types`);
  const edits: Edit[] = [];
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Tree, null, code, edits);
  return edits.map(({ kind, start, end, by }) => {
    const from = source.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = source.indexOf('\n', end);
    const to = lineEnd < 0 ? source.length : lineEnd;
    return {
      file,
      line: source.slice(0, start).split('\n').length,
      kind,
      before: source.slice(from, to),
      after: source.slice(from, start) + by + source.slice(end, to),
      text: source.slice(0, start) + by + source.slice(end),
    };
  });
}

function visit(node: Tree, parent: Tree | null, code: string, edits: Edit[]): void {
  if (node.type === 'ImportDeclaration') return;
  edits.push(...editsOf(node, parent, code));
  for (const [name, value] of Object.entries(node)) {
    const isKey = name === 'key' && node.computed !== true;
    if (isKey) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isTree(child)) visit(child, node, code, edits);
    }
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function editsOf(node: Tree, parent: Tree | null, code: string): Edit[] {
  const whole = (kind: string, by: string): Edit => ({ kind, start: node.start, end: node.end, by });
  const inside = (kind: string, part: unknown, by: string): Edit[] =>
    isTree(part) ? [{ kind, start: part.start, end: part.end, by }] : [];
  const textOf = (part: unknown): string => (isTree(part) ? code.slice(part.start, part.end) : '');
  switch (node.type) {
    case 'BinaryExpression':
    case 'AssignmentExpression':
      return operatorEdits(node, code);
    case 'LogicalExpression':
      return node.operator === '??' ? fallbackEdits(node, code) : operatorEdits(node, code);
    case 'UpdateExpression':
      return [
        whole(
          'operator',
          textOf(node).replace(/\+\+|--/, (found) => operators[found] ?? found),
        ),
      ];
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-'
        ? [whole(`without ${node.operator}`, ` ${textOf(node.argument)}`)]
        : [];
    case 'Literal':
      return literalEdits(node, whole);
    case 'IfStatement':
      return [
        ...inside('condition negated', node.test, `!(${textOf(node.test)})`),
        ...(node.alternate === null ? inside('never', node.test, 'false') : []),
      ];
    case 'ConditionalExpression':
    case 'WhileStatement':
      return inside('condition negated', node.test, `!(${textOf(node.test)})`);
    case 'MemberExpression':
      return memberEdits(node, parent, textOf, inside);
    case 'ReturnStatement':
      return isTree(node.argument) && !/^(null|undefined|void 0)$/.test(textOf(node.argument))
        ? inside('return null', node.argument, 'null')
        : [];
    case 'ExpressionStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
      // A `case` without its `break` would only fall into the next one.
      return parent?.type === 'SwitchCase' ? [] : [whole('statement removed', ';')];
    case 'AwaitExpression':
      return [whole('without await', textOf(node.argument))];
    default:
      return [];
  }
}

function operatorEdits(node: Tree, code: string): Edit[] {
  const { left, right, operator } = node;
  const by = operators[String(operator)];
  if (by === undefined || !isTree(left) || !isTree(right)) return [];
  const start = code.indexOf(String(operator), left.end);
  return [{ kind: `${operator} → ${by}`, start, end: start + String(operator).length, by }];
}

/** Removes the fallback behind `??`. */
function fallbackEdits({ left, right, end }: Tree, code: string): Edit[] {
  if (!isTree(left) || !isTree(right)) return [];
  if (/^(''|""|0|1|null|undefined|\[\]|\{\})$/.test(code.slice(right.start, right.end))) return [];
  return [{ kind: 'without fallback', start: left.end, end, by: '' }];
}

function literalEdits({ value }: Tree, whole: (kind: string, by: string) => Edit): Edit[] {
  // Small numbers become the next one, an easy mistake; large ones are doubled.
  if (typeof value === 'number') return [whole('number', String(value < 100 ? value + 1 : value * 2))];
  if (typeof value === 'boolean') return [whole('boolean', String(!value))];
  return typeof value === 'string' && /^\S+$/.test(value) ? [whole('text', "''")] : [];
}

function memberEdits(
  node: Tree,
  parent: Tree | null,
  textOf: (part: unknown) => string,
  inside: (kind: string, part: unknown, by: string) => Edit[],
): Edit[] {
  const name = textOf(node.property);
  const by = Object.hasOwn(methods, name) ? methods[name] : undefined;
  const isCalled = parent?.type === 'CallExpression' && parent.callee === node;
  return by !== undefined && isCalled && node.computed !== true
    ? inside(`${name} → ${by}`, node.property, by)
    : [];
}
