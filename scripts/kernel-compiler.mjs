// Compiles a part of TypeScript to WebAssembly: functions of numbers on two arrays, F (64-bit numbers) and N (32-bit integers), over
// one memory. The same files run as TypeScript with the same bits; compiled they take a half to a third of the time.
//
//   parameters    F: Float64Array and N: Int32Array vanish; others are i32 or f64, as their types say
//   variables     of the type of their first value, where none is written; integers stay integers, x / y is never one
//   statements    const, let, if, for, while, break, continue, return, assignments, calls
//   expressions   + - * / & | << >>, comparisons, && || !, ? :, Math.sqrt abs min max, F[...], N[...], module constants
//
// Loops of a constant number of rounds are unrolled. Loops `for (let c = a; c < b; c++)` under a comment that begins with "lanes" take
// two rounds at a time, in the lanes of vectors (and a last one alone): what does not depend on c is the same in both, F[... + c] are two
// numbers side by side, F[h === 0 ? a : b] in a loop of two rounds are two anywhere. The author answers for it that no round reads what
// another one writes. Each lane computes what the round would have: the bits are the same.
//
// Everything else is refused with its place.
import ts from 'typescript';

const I32 = 0x7f;
const F64 = 0x7c;
/** Two 64-bit numbers. */
const V128 = 0x7b;
const TYPE = new Map([
  ['i32', I32],
  ['f64', F64],
]);
const K = ts.SyntaxKind;

const unsigned = (value) => {
  const out = [];
  let rest = value;
  do {
    out.push(rest > 127 ? (rest & 127) | 128 : rest);
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return out;
};
const signed = (value) => {
  const out = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 127;
    rest >>= 7;
    if ((rest === 0 && (low & 64) === 0) || (rest === -1 && (low & 64) !== 0)) return [...out, low];
    out.push(low | 128);
  }
};
const float = (value) => [...new Uint8Array(Float64Array.of(value).buffer)];
const text = (value) => [...unsigned(value.length), ...Buffer.from(value, 'latin1')];
const section = (id, body) => [id, ...unsigned(body.length), ...body];
const vector = (items) => [...unsigned(items.length), ...items.flat()];

/** Opcodes by operator: for integers, and for numbers. */
const BINARY = new Map([
  [K.PlusToken, [0x6a, 0xa0]],
  [K.MinusToken, [0x6b, 0xa1]],
  [K.AsteriskToken, [0x6c, 0xa2]],
  [K.SlashToken, [undefined, 0xa3]],
  [K.AmpersandToken, [0x71, undefined]],
  [K.BarToken, [0x72, undefined]],
  [K.LessThanLessThanToken, [0x74, undefined]],
  [K.GreaterThanGreaterThanToken, [0x75, undefined]],
]);
const COMPARISON = new Map([
  [K.EqualsEqualsEqualsToken, [0x46, 0x61]],
  [K.ExclamationEqualsEqualsToken, [0x47, 0x62]],
  [K.LessThanToken, [0x48, 0x63]],
  [K.GreaterThanToken, [0x4a, 0x64]],
  [K.LessThanEqualsToken, [0x4c, 0x65]],
  [K.GreaterThanEqualsToken, [0x4e, 0x66]],
]);
/** Of two constant integers. */
const FOLDED = new Map([
  [K.PlusToken, (a, b) => a + b],
  [K.MinusToken, (a, b) => a - b],
  [K.AsteriskToken, (a, b) => a * b],
]);
const COMPOUND = new Map([
  [K.PlusEqualsToken, K.PlusToken],
  [K.MinusEqualsToken, K.MinusToken],
  [K.AsteriskEqualsToken, K.AsteriskToken],
]);
const MATH = new Map([
  ['sqrt', 0x9f],
  ['abs', 0x99],
  ['min', 0xa4],
  ['max', 0xa5],
]);

/** Of vectors, behind the prefix. */
const VECTOR = 0xfd;
const LANES = new Map([
  [0xa0, 0xf0],
  [0xa1, 0xf1],
  [0xa2, 0xf2],
  [0xa3, 0xf3],
  [0x9a, 0xed],
  [0x99, 0xec],
  [0x9f, 0xef],
]);
const LOAD = 0x00;
const LOAD_SPLAT = 0x0a;
const LOAD_LANE = 0x57;
const STORE = 0x0b;
const STORE_LANE = 0x5b;
const SPLAT = 0x14;
const EXTRACT = 0x21;
/** Loops of at most so many rounds are unrolled, if they are constant. */
const MOST_ROUNDS = 6;

/** Bytes of a module with the exported functions of these files; `files`: path to text. */
export function compileKernels(files) {
  const functions = new Map();
  const constants = new Map();
  for (const [path, source] of files) {
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true);
    for (const statement of file.statements) {
      if (ts.isFunctionDeclaration(statement)) {
        const exported = statement.modifiers?.some(({ kind }) => kind === K.ExportKeyword) ?? false;
        if (functions.has(statement.name.text)) refuse(statement.name, 'stands twice');
        functions.set(statement.name.text, { ...signature(statement), statement, exported, index: functions.size });
      } else if (ts.isVariableStatement(statement)) {
        for (const { name, initializer } of statement.declarationList.declarations) {
          const value = Number(initializer?.getText());
          if (Number.isNaN(value)) refuse(statement, 'is no number');
          if (constants.has(name.text) && constants.get(name.text) !== value) refuse(name, 'has two values');
          constants.set(name.text, value);
        }
      } else if (!ts.isImportDeclaration(statement) && !ts.isTypeAliasDeclaration(statement)) refuse(statement);
    }
  }
  const types = [];
  const typeOf = ({ parameters, result }) => {
    const key = JSON.stringify([parameters.map(({ type }) => type), result]);
    if (!types.includes(key)) types.push(key);
    return types.indexOf(key);
  };
  const all = [...functions.values()];
  const indices = all.map((one) => unsigned(typeOf(one)));
  const bodies = all.map((one) => new FunctionCompiler(one, functions, constants).bytes());
  const exports = [...functions].filter(([, { exported }]) => exported);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      vector(
        types.map((key) => {
          const [parameters, result] = JSON.parse(key);
          return [0x60, ...vector(parameters.map((x) => [x])), ...vector(result === null ? [] : [[result]])];
        }),
      ),
    ),
    ...section(2, vector([[...text('manikin'), ...text('memory'), 2, 0, 1]])),
    ...section(3, vector(indices)),
    ...section(7, vector(exports.map(([name, { index }]) => [...text(name), 0, ...unsigned(index)]))),
    ...section(10, vector(bodies.map((body) => [...unsigned(body.length), ...body]))),
  ]);
}

function refuse(node, why = 'is not part of the language of kernels') {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  throw new Error(`${file.fileName}:${line + 1}: "${node.getText().slice(0, 60)}" ${why}.`);
}

/** Whether a comment above a loop says that its rounds are lanes. */
function isInLanes(node) {
  const text = node.getSourceFile().text;
  const comments = ts.getLeadingCommentRanges(text, node.pos) ?? [];
  return comments.some(({ pos, end }) => /^\/\/ lanes\b/.test(text.slice(pos, end)));
}

function isCall(node) {
  return ts.isExpressionStatement(node) && ts.isCallExpression(node.expression);
}

/** Whether there are only assignments and declarations in a statement: no loops, and nothing that goes elsewhere. */
function isPlain(node) {
  if (ts.isBlock(node)) return node.statements.every(isPlain);
  return ts.isExpressionStatement(node) || ts.isVariableStatement(node);
}

function signature(statement) {
  const parameters = [];
  for (const { name, type } of statement.parameters) {
    const written = type.getText();
    if (written === 'Float64Array' || written === 'Int32Array') continue;
    parameters.push({ name: name.text, type: TYPE.get(written) ?? refuse(type) });
  }
  const written = statement.type.getText();
  return { parameters, result: written === 'void' ? null : (TYPE.get(written) ?? refuse(statement.type)) };
}

class FunctionCompiler {
  constructor({ statement, parameters, result }, functions, constants) {
    this.statement = statement;
    this.result = result;
    this.functions = functions;
    this.constants = constants;
    this.code = [];
    /** Types of locals beyond the parameters. */
    this.locals = [];
    this.first = parameters.length;
    this.scopes = [new Map(parameters.map(({ name, type }, index) => [name, { index, type }]))];
    /** Open blocks: 'break', 'continue' or nothing. */
    this.labels = [];
    /** Whether two rounds of a loop are being compiled at once. */
    this.lanes = false;
    /** Blocks that are around the unrolled round at hand. */
    this.outside = 0;
  }

  bytes() {
    this.block(this.statement.body.statements);
    // Every way out of a function with a result is a return.
    if (this.result !== null) this.code.push(0x00);
    return [...vector(this.locals.map((type) => [1, type])), ...this.code, 0x0b];
  }

  block(statements) {
    this.scopes.push(new Map());
    for (const statement of statements) this.run(statement);
    this.scopes.pop();
  }

  find(node) {
    for (let k = this.scopes.length - 1; k >= 0; k--) {
      const found = this.scopes[k].get(node.text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  variable(node) {
    const found = this.find(node) ?? refuse(node, 'is not known here');
    return found.constant === undefined ? found : refuse(node, 'is constant in every round');
  }

  branch(label, opcode, node) {
    const target = this.labels.lastIndexOf(label);
    if (target < this.outside) refuse(node, 'leaves a loop that is unrolled or in lanes');
    const depth = this.labels.length - 1 - target;
    this.code.push(opcode, ...unsigned(depth));
  }

  open(opcode, label) {
    this.code.push(opcode, 0x40);
    this.labels.push(label);
  }

  close() {
    this.code.push(0x0b);
    this.labels.pop();
  }

  run(node) {
    // A comparison with the variable of the loop is refused.
    if (this.lanes && ts.isIfStatement(node)) this.inLanes(node.expression);
    if (this.lanes && (ts.isReturnStatement(node) || isCall(node))) refuse(node, 'is no part of lanes');
    if (ts.isBlock(node)) this.block(node.statements);
    else if (ts.isVariableStatement(node)) this.declare(node.declarationList);
    else if (ts.isExpressionStatement(node)) this.effect(node.expression);
    else if (ts.isIfStatement(node)) {
      this.expression(node.expression, I32);
      this.open(0x04, '');
      this.block([node.thenStatement]);
      if (node.elseStatement !== undefined) {
        this.code.push(0x05);
        this.block([node.elseStatement]);
      }
      this.close();
    } else if (ts.isForStatement(node) || ts.isWhileStatement(node)) this.loop(node);
    else if (ts.isReturnStatement(node)) {
      if (node.expression !== undefined) this.expression(node.expression, this.result);
      this.code.push(0x0f);
    } else if (ts.isBreakStatement(node)) this.branch('break', 0x0c, node);
    else if (ts.isContinueStatement(node)) this.branch('continue', 0x0c, node);
    else refuse(node);
  }

  loop(node) {
    const rounds = ts.isForStatement(node) ? this.rounds(node) : undefined;
    if (isInLanes(node)) {
      this.loopInLanes(node, rounds ?? refuse(node, 'is no loop for lanes'));
      return;
    }
    if (rounds?.count <= MOST_ROUNDS && isPlain(node.statement)) {
      for (let k = 0; k < rounds.count; k++) this.round(node, { constant: rounds.from + k });
      return;
    }
    this.scopes.push(new Map());
    if (node.initializer !== undefined) this.declare(node.initializer);
    const condition = ts.isForStatement(node) ? node.condition : node.expression;
    this.open(0x02, 'break');
    this.open(0x03, 'again');
    if (condition !== undefined) {
      this.expression(condition, I32);
      this.code.push(0x45);
      this.branch('break', 0x0d);
    }
    this.open(0x02, 'continue');
    this.block([node.statement]);
    this.close();
    if (node.incrementor !== undefined) this.effect(node.incrementor);
    this.branch('again', 0x0c);
    this.close();
    this.close();
    this.scopes.pop();
  }

  /** Variable, first value and end of a loop that counts up; `count`: how many rounds, where they are constant. */
  rounds({ initializer, condition, incrementor }) {
    if (initializer?.declarations?.length !== 1 || !ts.isBinaryExpression(condition)) return undefined;
    const [{ name, initializer: from }] = initializer.declarations;
    const counts =
      condition.operatorToken.kind === K.LessThanToken &&
      condition.left.getText() === name.text &&
      ts.isPostfixUnaryExpression(incrementor) &&
      incrementor.getText() === `${name.text}++`;
    if (!counts) return undefined;
    const [first, end] = [this.constant(from), this.constant(condition.right)];
    const count = first === undefined || end === undefined ? undefined : end - first;
    return { name: name.text, from: first, count, end: condition.right };
  }

  /** One round of a loop, whose variable is this. */
  round(node, variable) {
    const { outside } = this;
    this.outside = this.labels.length;
    this.scopes.push(new Map([[node.initializer.declarations[0].name.text, variable]]));
    this.block([node.statement]);
    this.scopes.pop();
    this.outside = outside;
  }

  loopInLanes(node, { from, count, end, name }) {
    if (this.lanes) refuse(node, 'is in another loop for lanes');
    if (count <= MOST_ROUNDS) {
      for (let k = 0; k < count; k += 2) {
        this.lanes = k + 1 < count;
        this.round(node, { constant: from + k, lane: this.lanes });
      }
      this.lanes = false;
      return;
    }
    this.scopes.push(new Map());
    this.declare(node.initializer);
    const variable = this.scopes.at(-1).get(name);
    const { index } = variable;
    const compare = (ahead) => {
      this.code.push(0x20, ...unsigned(index), 0x41, ahead, 0x6a);
      this.expression(end, I32);
      this.code.push(0x48);
    };
    this.open(0x02, '');
    this.open(0x03, '');
    compare(1);
    this.code.push(0x45, 0x0d, 1);
    this.lanes = true;
    this.round(node, { ...variable, lane: true });
    this.lanes = false;
    this.code.push(0x20, ...unsigned(index), 0x41, 2, 0x6a, 0x21, ...unsigned(index), 0x0c, 0);
    this.close();
    this.close();
    compare(0);
    this.open(0x04, '');
    this.round(node, variable);
    this.close();
    this.scopes.pop();
  }

  /** Whether an integer is another one in each lane, by one: it has the variable of the loop as a term. */
  inLanes(node) {
    if (!this.lanes) return false;
    if (ts.isParenthesizedExpression(node)) return this.inLanes(node.expression);
    if (ts.isIdentifier(node)) return this.find(node)?.lane === true;
    if (ts.isBinaryExpression(node)) {
      const { left, right, operatorToken } = node;
      const [a, b] = [this.inLanes(left), this.inLanes(right)];
      if (!a && !b) return false;
      const { kind } = operatorToken;
      if (a !== b && (kind === K.PlusToken || (kind === K.MinusToken && a))) return true;
      return refuse(node, 'is not one more in the next lane');
    }
    if (ts.isElementAccessExpression(node) && this.inLanes(node.argumentExpression))
      return node.expression.text === 'F' ? false : refuse(node, 'is read lane by lane');
    return false;
  }

  declare(list) {
    if (!ts.isVariableDeclarationList(list)) refuse(list);
    for (const { name, type, initializer } of list.declarations) {
      const kind = type === undefined ? this.typeOf(initializer) : (TYPE.get(type.getText()) ?? refuse(type));
      const lane = kind === I32 && this.inLanes(initializer);
      const held = this.lanes && kind === F64 ? V128 : kind;
      this.expression(initializer, held);
      const index = this.first + this.locals.length;
      this.locals.push(held);
      this.scopes.at(-1).set(name.text, { index, type: held, lane });
      this.code.push(0x21, ...unsigned(index));
    }
  }

  /** Assignments and calls. */
  effect(node) {
    if (ts.isPostfixUnaryExpression(node)) {
      const { index, type } = this.variable(node.operand);
      if (type !== I32) refuse(node);
      const add = node.operator === K.PlusPlusToken ? 0x6a : 0x6b;
      this.code.push(0x20, ...unsigned(index), 0x41, 1, add, 0x21, ...unsigned(index));
    } else if (ts.isCallExpression(node)) {
      if (this.call(node) !== null) this.code.push(0x1a);
    } else if (ts.isBinaryExpression(node)) this.assign(node);
    else refuse(node);
  }

  assign({ left, right, operatorToken }) {
    const operator = COMPOUND.get(operatorToken.kind);
    if (operator === undefined && operatorToken.kind !== K.EqualsToken) refuse(operatorToken);
    if (ts.isIdentifier(left)) {
      const { index, type, lane } = this.variable(left);
      if (this.lanes && type === F64) refuse(left, 'is the same in all lanes');
      // What was one more in the next lane stays so, what was not does not become it.
      if (type === I32 && this.inLanes(right) !== (operator === undefined && lane === true)) refuse(right);
      if (operator === undefined) this.expression(right, type);
      else {
        this.code.push(0x20, ...unsigned(index));
        this.expression(right, type);
        this.operate(operator, type, left);
      }
      this.code.push(0x21, ...unsigned(index));
      return;
    }
    const { type, shift, load, store } = this.element(left);
    if (this.lanes) {
      this.assignInLanes(left, right, operator);
      return;
    }
    if (operator === undefined) {
      const offset = this.address(left, shift);
      this.expression(right, type);
      this.code.push(store, shift, ...unsigned(offset));
      return;
    }
    // The address is kept: it is needed twice.
    const index = this.first + this.locals.length;
    this.locals.push(I32);
    const offset = this.address(left, shift);
    this.code.push(0x22, ...unsigned(index), 0x20, ...unsigned(index), load, shift, ...unsigned(offset));
    this.expression(right, type);
    this.operate(operator, type, left);
    this.code.push(store, shift, ...unsigned(offset));
  }

  /** Of F[h === 0 ? a : b], h the variable of a loop of two lanes: a and b. */
  places({ argumentExpression: node }) {
    if (!ts.isConditionalExpression(node) || !this.inLanes(node.condition.left)) return undefined;
    const { left, operatorToken, right } = node.condition;
    const first =
      operatorToken.kind === K.EqualsEqualsEqualsToken && this.constant(left) === 0 && this.constant(right) === 0;
    return first ? [node.whenTrue, node.whenFalse] : refuse(node, 'is no choice between two lanes');
  }

  assignInLanes(left, right, operator) {
    const { type, shift, load, store } = this.element(left);
    const places = this.places(left);
    if (type === F64 && places !== undefined) {
      this.expression(right, V128);
      const value = this.first + this.locals.length;
      this.locals.push(V128);
      this.code.push(0x21, ...unsigned(value));
      places.forEach((place, lane) => {
        const offset = unsigned(this.addressOf(place, shift));
        if (operator === undefined) {
          this.code.push(0x20, ...unsigned(value), VECTOR, STORE_LANE, shift, ...offset, lane);
          return;
        }
        // One after the other: they may be the same.
        const index = this.first + this.locals.length;
        this.locals.push(I32);
        this.code.push(0x22, ...unsigned(index), 0x20, ...unsigned(index), load, shift, ...offset);
        this.code.push(0x20, ...unsigned(value), VECTOR, EXTRACT, lane);
        this.operate(operator, type, left);
        this.code.push(store, shift, ...offset);
      });
      return;
    }
    if (type !== F64 || !this.inLanes(left.argumentExpression)) refuse(left, 'is the same in all lanes');
    const index = this.first + this.locals.length;
    this.locals.push(I32);
    const offset = unsigned(this.address(left, shift));
    if (operator === undefined) this.expression(right, V128);
    else {
      this.code.push(0x22, ...unsigned(index), 0x20, ...unsigned(index), VECTOR, LOAD, shift, ...offset);
      this.expression(right, V128);
      this.operate(operator, V128, left);
    }
    this.code.push(VECTOR, STORE, shift, ...offset);
  }

  operate(operator, type, node) {
    const opcode = BINARY.get(operator)?.[type === I32 ? 0 : 1] ?? refuse(node);
    if (type === V128) this.vector(opcode, node);
    else this.code.push(opcode);
  }

  /** The operation of numbers in all lanes. */
  vector(opcode, node) {
    this.code.push(VECTOR, ...unsigned(LANES.get(opcode) ?? refuse(node, 'has no lanes')));
  }

  element(node) {
    if (!ts.isElementAccessExpression(node) || !ts.isIdentifier(node.expression)) refuse(node);
    if (node.expression.text === 'F') return { type: F64, shift: 3, load: 0x2b, store: 0x39 };
    if (node.expression.text === 'N') return { type: I32, shift: 2, load: 0x28, store: 0x36 };
    return refuse(node);
  }

  /** Leaves the address of an element but for a constant, which is returned in bytes. */
  address(node, shift) {
    return this.addressOf(node.argumentExpression, shift);
  }

  addressOf(index, shift) {
    const terms = [];
    let constant = 0;
    const collect = (term, sign) => {
      if (ts.isParenthesizedExpression(term)) collect(term.expression, sign);
      else if (ts.isBinaryExpression(term) && term.operatorToken.kind === K.PlusToken) {
        collect(term.left, sign);
        collect(term.right, sign);
      } else if (ts.isBinaryExpression(term) && term.operatorToken.kind === K.MinusToken) {
        collect(term.left, sign);
        collect(term.right, -sign);
      } else {
        const value = this.constant(term);
        if (value === undefined) terms.push([term, sign]);
        else constant += sign * value;
      }
    };
    collect(index, 1);
    terms.sort(([, a], [, b]) => b - a);
    if (terms.length === 0) {
      this.code.push(0x41, 0);
      return constant << shift;
    }
    terms.forEach(([term, sign], k) => {
      this.expression(term, I32);
      if (k > 0) this.code.push(sign > 0 ? 0x6a : 0x6b);
      else if (sign < 0) refuse(term);
    });
    if (constant < 0) this.code.push(0x41, ...signed(-constant), 0x6b);
    this.code.push(0x41, shift, 0x74);
    return constant < 0 ? 0 : constant << shift;
  }

  constant(node) {
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isIdentifier(node)) {
      const found = this.find(node);
      return found === undefined ? this.constants.get(node.text) : found.constant;
    }
    if (ts.isBinaryExpression(node) && FOLDED.has(node.operatorToken.kind)) {
      const [a, b] = [this.constant(node.left), this.constant(node.right)];
      return Number.isInteger(a) && Number.isInteger(b) ? FOLDED.get(node.operatorToken.kind)(a, b) : undefined;
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === K.MinusToken) {
      const value = this.constant(node.operand);
      return value === undefined ? undefined : -value;
    }
    return undefined;
  }

  /** The type that an expression has by itself. */
  typeOf(node) {
    const value = this.constant(node);
    if (value !== undefined) return Number.isInteger(value) ? I32 : F64;
    if (ts.isParenthesizedExpression(node)) return this.typeOf(node.expression);
    if (ts.isIdentifier(node)) {
      const { type } = this.variable(node);
      return type === V128 ? F64 : type;
    }
    if (ts.isElementAccessExpression(node)) return this.element(node).type;
    if (ts.isConditionalExpression(node)) return this.common(node.whenTrue, node.whenFalse);
    if (ts.isPrefixUnaryExpression(node)) return node.operator === K.ExclamationToken ? I32 : this.typeOf(node.operand);
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      if (kind === K.SlashToken) return F64;
      return BINARY.has(kind) ? this.common(node.left, node.right) : I32;
    }
    if (ts.isCallExpression(node))
      return ts.isPropertyAccessExpression(node.expression) ? F64 : this.functions.get(node.expression.text)?.result;
    return refuse(node);
  }

  common(a, b) {
    return this.typeOf(a) === F64 || this.typeOf(b) === F64 ? F64 : I32;
  }

  /** Leaves the value, as that type. */
  expression(node, wanted) {
    const value = this.constant(node);
    if (wanted === V128) {
      this.expressionInLanes(node);
      return;
    }
    if (value !== undefined) {
      if (wanted === F64) this.code.push(0x44, ...float(value));
      else if (Number.isInteger(value)) this.code.push(0x41, ...signed(value));
      else refuse(node, 'is no integer');
      return;
    }
    if (ts.isParenthesizedExpression(node)) {
      this.expression(node.expression, wanted);
      return;
    }
    const own = this.typeOf(node);
    if (ts.isIdentifier(node)) this.code.push(0x20, ...unsigned(this.variable(node).index));
    else if (ts.isElementAccessExpression(node)) {
      const { shift, load } = this.element(node);
      const offset = this.address(node, shift);
      this.code.push(load, shift, ...unsigned(offset));
    } else if (ts.isConditionalExpression(node)) {
      this.expression(node.condition, I32);
      this.code.push(0x04, own);
      this.labels.push('');
      this.expression(node.whenTrue, own);
      this.code.push(0x05);
      this.expression(node.whenFalse, own);
      this.close();
    } else if (ts.isPrefixUnaryExpression(node)) this.unary(node, own);
    else if (ts.isBinaryExpression(node)) this.binary(node, own);
    else if (ts.isCallExpression(node)) this.call(node);
    else refuse(node);
    if (own === I32 && wanted === F64) this.code.push(0xb7);
    else if (own !== wanted) refuse(node, 'is no integer');
  }

  /** Leaves the values of both lanes. */
  expressionInLanes(node) {
    const splat = () => {
      if (this.inLanes(node)) refuse(node, 'has no lanes');
      this.expression(node, F64);
      this.code.push(VECTOR, SPLAT);
    };
    if (this.constant(node) !== undefined) splat();
    else if (ts.isParenthesizedExpression(node)) this.expressionInLanes(node.expression);
    else if (ts.isIdentifier(node)) {
      const { index, type } = this.variable(node);
      if (type === V128) this.code.push(0x20, ...unsigned(index));
      else splat();
    } else if (ts.isElementAccessExpression(node)) {
      const { type, shift } = this.element(node);
      if (type !== F64) refuse(node, 'has no lanes');
      const places = this.places(node);
      if (places !== undefined) {
        const [offset, second] = [places[0], places[1]]
          .reverse()
          .map((place) => this.addressOf(place, shift))
          .reverse();
        this.code.push(VECTOR, LOAD_SPLAT, shift, ...unsigned(offset));
        this.code.push(VECTOR, LOAD_LANE, shift, ...unsigned(second), 1);
        return;
      }
      const load = this.inLanes(node.argumentExpression) ? LOAD : LOAD_SPLAT;
      const offset = this.address(node, shift);
      this.code.push(VECTOR, load, shift, ...unsigned(offset));
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.MinusToken) {
      this.expressionInLanes(node.operand);
      this.vector(0x9a, node);
    } else if (ts.isBinaryExpression(node)) {
      this.expressionInLanes(node.left);
      this.expressionInLanes(node.right);
      this.operate(node.operatorToken.kind, V128, node);
    } else refuse(node, 'has no lanes');
  }

  unary(node, type) {
    if (node.operator === K.ExclamationToken) {
      this.expression(node.operand, I32);
      this.code.push(0x45);
    } else if (node.operator === K.MinusToken) {
      if (type === I32) this.code.push(0x41, 0);
      this.expression(node.operand, type);
      this.code.push(type === I32 ? 0x6b : 0x9a);
    } else refuse(node);
  }

  binary(node, type) {
    const { left, right, operatorToken } = node;
    const { kind } = operatorToken;
    if (kind === K.AmpersandAmpersandToken || kind === K.BarBarToken) {
      const and = kind === K.AmpersandAmpersandToken;
      this.expression(left, I32);
      this.code.push(0x04, I32);
      this.labels.push('');
      if (and) this.expression(right, I32);
      else this.code.push(0x41, 1);
      this.code.push(0x05);
      if (and) this.code.push(0x41, 0);
      else this.expression(right, I32);
      this.close();
      return;
    }
    const comparison = COMPARISON.get(kind);
    const operands = comparison === undefined ? type : this.common(left, right);
    this.expression(left, operands);
    this.expression(right, operands);
    if (comparison !== undefined) this.code.push(comparison[operands === I32 ? 0 : 1]);
    else this.operate(kind, type, node);
  }

  /** Leaves the result, if there is one; returns its type. */
  call(node) {
    const { expression: name, arguments: given } = node;
    if (ts.isPropertyAccessExpression(name) && name.expression.getText() === 'Math') {
      const opcode = MATH.get(name.name.text) ?? refuse(node);
      for (const argument of given) this.expression(argument, F64);
      this.code.push(opcode);
      return F64;
    }
    const called = this.functions.get(name.text) ?? refuse(node);
    const rest = given.filter((argument) => !(ts.isIdentifier(argument) && /^[FN]$/.test(argument.text)));
    if (rest.length !== called.parameters.length) refuse(node, 'has another number of arguments');
    rest.forEach((argument, k) => {
      this.expression(argument, called.parameters[k].type);
    });
    this.code.push(0x10, ...unsigned(called.index));
    return called.result;
  }
}
