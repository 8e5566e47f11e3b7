import { type Account, emptyAccount } from "../../handoff/account.ts";
import type { SimulatedRequest } from "../request.ts";
import type { Reply, Scenario } from "../scenario.ts";
import { DENIED, wasDenied } from "./denied.ts";
import { handOver, isHandoffRequest } from "./hand-over.ts";

interface Unit {
  name: string;
  factors: Record<string, number>;
  /** The first try gets this unit wrong, and its test shows it. */
  slip?: string;
}

/** Each becomes a module with tests. The factors lead to the first unit. */
const UNITS: Unit[] = [
  { name: "length", factors: { metre: 1, kilometre: 1000, mile: 1609.344, foot: 0.3048, inch: 0.0254 } },
  {
    name: "mass",
    factors: { gram: 1, kilogram: 1000, tonne: 1_000_000, pound: 453.59237, ounce: 28.349523125 },
  },
  { name: "time", factors: { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 }, slip: "week" },
  { name: "area", factors: { squareMetre: 1, hectare: 10_000, acre: 4046.8564224, squareFoot: 0.09290304 } },
  { name: "volume", factors: { litre: 1, millilitre: 0.001, gallon: 3.785411784, pint: 0.473176473 } },
  {
    name: "speed",
    factors: { metrePerSecond: 1, kilometrePerHour: 0.2777777778, mile: 0.44704, knot: 0.5144444444 },
  },
  {
    name: "energy",
    factors: { joule: 1, calorie: 4.184, kilowattHour: 3_600_000, electronvolt: 1.602176634e-19 },
  },
  { name: "pressure", factors: { pascal: 1, bar: 100_000, atmosphere: 101_325, psi: 6894.757293168 } },
  { name: "power", factors: { watt: 1, kilowatt: 1000, horsepower: 745.6998715823, calorie: 4.184 } },
  { name: "angle", factors: { degree: 1, turn: 360, radian: 57.2957795131, gradian: 0.9 } },
];

const THINKING_MS = 150;
const WRITING_MS = 1_200;

export const DEMO_REQUEST = `Write a small library that converts units, in plain JavaScript with no dependencies.
One module a quantity: ${UNITS.map(({ name }) => name).join(", ")}.
Each module exports a function convert(value, from, to) and has tests that run with \`node --test\`.
Commit each module by itself once its tests pass. Never commit a module whose tests fail.`;

/** A job for three windows: it writes modules and tests, runs them, fixes one, commits each. */
export function demo(): Scenario {
  return {
    name: "demo",
    summary: `${UNITS.length} modules with tests, written, run and committed over three windows`,
    factor: DEMO_FACTOR,
    otherwise: demoStep,
  };
}

/** With it, the job takes three windows. */
export const DEMO_FACTOR = 20;

/** What comes next of the job that `DEMO_REQUEST` asks for. */
export function demoStep(request: SimulatedRequest): Reply {
  const done = UNITS.filter(({ name }) => request.text.includes(`committed:${name}`));
  const unit = UNITS[done.length];
  if (isHandoffRequest(request)) {
    const written = unit && isWritten(unit, request) ? unit : undefined;
    return { ...handOver(request, account(done, written)), delayMs: WRITING_MS };
  }
  if (wasDenied(request)) return DENIED;
  return { delayMs: THINKING_MS, ...(unit ? nextStep(unit, request) : { say: summary() }) };
}

function nextStep(unit: Unit, request: SimulatedRequest): Reply {
  if (unit.slip && lastResult(request).includes(`red:${unit.name}`)) return fix(unit, unit.slip);
  return isWritten(unit, request) ? prove(unit) : write(unit);
}

/** In this session as the tools tell it, in an earlier one as its handoff tells it. */
function isWritten({ name }: Unit, request: SimulatedRequest): boolean {
  const result = lastResult(request);
  return (
    result.includes(`${name}.test.js`) ||
    result.includes(`${name}.js`) ||
    request.text.includes(`written:${name}`)
  );
}

function lastResult({ results }: SimulatedRequest): string {
  return results.at(-1)?.text ?? "";
}

function write(unit: Unit): Reply {
  const wrong = unit.slip
    ? { ...unit.factors, [unit.slip]: (unit.factors[unit.slip] ?? 1) / 2 }
    : unit.factors;
  return {
    say: `Next: ${unit.name}, with its tests.`,
    call: [
      { tool: "Write", input: { file_path: `src/${unit.name}.js`, content: moduleOf(unit.name, wrong) } },
      { tool: "Write", input: { file_path: `test/${unit.name}.test.js`, content: testsOf(unit) } },
    ],
  };
}

/** The output names the module only through a variable: a call that never ran must not look done. */
function prove({ name }: Unit): Reply {
  const command = [
    `m=${name}`,
    'if node --test --test-reporter=spec "test/$m.test.js"; then',
    '  git add -A && git commit -qm "Add $m" && git show && echo "committed:$m"',
    'else echo "red:$m"; fi',
  ].join("\n");
  return {
    say: `I run the tests of ${name}, and commit it if they pass.`,
    call: { tool: "Bash", input: { command, description: `Test and commit ${name}` } },
  };
}

function fix(unit: Unit, slip: string): Reply {
  const right = unit.factors[slip] ?? 1;
  return {
    say: `The test is right: I had ${slip} wrong. I fix it.`,
    call: {
      tool: "Edit",
      input: {
        file_path: `src/${unit.name}.js`,
        old_string: `${slip}: ${right / 2}`,
        new_string: `${slip}: ${right}`,
      },
    },
  };
}

function moduleOf(name: string, factors: Record<string, number>): string {
  const [base] = Object.keys(factors);
  const lines = Object.entries(factors).map(([unit, factor]) => `  ${unit}: ${factor},`);
  return `// How many ${base}s each unit of ${name} holds.
const factors = {
${lines.join("\n")}
};

/** Converts a ${name}. Throws a RangeError when it does not know a unit. */
export function convert(value, from, to) {
  return (value * factorOf(from)) / factorOf(to);
}

function factorOf(unit) {
  if (!Object.hasOwn(factors, unit)) throw new RangeError(\`\${unit} is not a unit of ${name}\`);
  return factors[unit];
}
`;
}

function testsOf({ name, factors }: Unit): string {
  const [base = "", ...others] = Object.keys(factors);
  const tests = others.map(
    (unit) => `
test("one ${unit} is ${factors[unit]} ${base}s", () => {
  const { is } = near(convert(1, "${unit}", "${base}"), ${factors[unit]});
  assert.ok(is);
});`,
  );
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { convert } from "../src/${name}.js";

const near = (a, b) => ({ is: Math.abs(a - b) <= Math.abs(b) * 1e-9 });
${tests.join("\n")}

test("a unit that is not known is refused", () => {
  assert.throws(() => convert(1, "parsnip", "${base}"), RangeError);
});
`;
}

function account(done: Unit[], written: Unit | undefined): Account {
  const open = UNITS.slice(done.length).map(({ name }) => name);
  const files = [...done, ...(written ? [written] : [])];
  return {
    ...emptyAccount(),
    goal: "A small library that converts units: one module a quantity, each with tests.",
    constraints: DEMO_REQUEST.split("\n"),
    progress: {
      done: done.map(({ name }) => `committed:${name}`),
      inProgress: written ? [`written:${written.name}, its tests are still to be run`] : [],
      pending: open.slice(written ? 1 : 0),
    },
    currentState: `${done.length} of ${UNITS.length} modules are committed.`,
    decisions: [
      {
        decision: "Every module holds a table of factors to one base unit",
        reason: "one function then converts every pair",
      },
    ],
    failedAttempts: done.some(({ slip }) => slip)
      ? ["The first table of time had a week of three and a half days."]
      : [],
    nextSteps: open.map((name) =>
      name === written?.name ? `Run the tests of ${name}, and commit it` : `Write ${name}, with tests`,
    ),
    filesChanged: files.flatMap(({ name }) => [
      { path: `src/${name}.js`, change: "the module" },
      { path: `test/${name}.test.js`, change: "its tests" },
    ]),
  };
}

function summary(): string {
  return `All ${UNITS.length} modules are written, tested and committed.`;
}
