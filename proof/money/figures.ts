import type { Row } from "./books.ts";
import type { PaymentLine } from "./provider-side.ts";
import type { World } from "./world.ts";

/** Counts of a run, by a line of the table each. */
export type Figures = Record<string, number>;

export function add(to: Figures, more: Figures): void {
  for (const [name, count] of Object.entries(more)) to[name] = (to[name] ?? 0) + count;
}

const FAULT = "fault: ";
const PAYMENT = "payment: ";
export const PAYMENTS = "payments by way of providers";
export const TRANSFERS = "transfers";
const HELD = "seats held for a price, as pages were answered";
const CLAIMS = "transfers without a record, left to a person";

/** What one story has counted. It held, so nothing in it was lost or doubled. */
export function figuresOf(
  end: {
    readonly rows: readonly Row[];
    readonly payments: readonly PaymentLine[];
    readonly world: World;
    readonly claims: number;
  },
  deeds: number,
): Figures {
  const { rows, payments, world, claims } = end;
  const figures: Figures = { stories: 1, deeds, [TRANSFERS]: rows.length, ...(claims > 0 && { [CLAIMS]: claims }) };
  for (const { direction, state, amount } of rows) {
    add(figures, { [`${direction} ${state}`]: 1 });
    if (state === "done") add(figures, { [`${direction} moved`]: amount });
  }
  for (const { kind, state } of payments) add(figures, { [PAYMENTS]: 1, [`${PAYMENT}${kind} ${state}`]: 1 });
  for (const { asks } of world.visitors)
    for (const { pageOutcome = "nothing" } of asks) add(figures, { [`page received ${pageOutcome.split(" ")[0]}`]: 1 });
  for (const { holds } of world.visitors)
    add(figures, { [HELD]: holds.filter(({ taken }) => typeof taken === "number").length });
  for (const cabinet of world.cabinets) {
    const state = cabinet.look();
    add(figures, { games: state?.gamesPlayed ?? 0, "won less staked": won(state) });
    for (const event of cabinet.events.values()) if (event.what === "handPayReset") add(figures, { "hand pays": 1 });
  }
  for (const [fault, times] of world.faults) add(figures, { [FAULT + fault]: times, faults: times });
  add(figures, {
    "virtual seconds": Math.round(world.lasted() / 1_000),
    statements: world.gate.statements,
    steps: world.schedule.steps(),
  });
  return figures;
}

function won(state: { totals: { wonTotal: number; wageredTotal: number } } | undefined): number {
  return state === undefined ? 0 : state.totals.wonTotal - state.totals.wageredTotal;
}

const whole = (count: number): string => count.toLocaleString("en-US");
const hours = (seconds: number): string => `${(seconds / 3_600).toFixed(1)} hours`;

/** The table that is printed at the end. */
export function figuresTable(figures: Figures): string[] {
  const of = (name: string): number => figures[name] ?? 0;
  const line = (name: string, value: string): string => `  ${name.padEnd(44)} ${value.padStart(16)}`;
  const count = (name: string): string => line(name, whole(of(name)));
  const moved = (direction: string): string => line(`${direction}: minor units moved`, whole(of(`${direction} moved`)));
  const all = (group: string): string[] =>
    Object.keys(figures)
      .filter((name) => name.startsWith(group))
      .sort()
      .map((name) => line(`  ${name.slice(group.length)}`, whole(of(name))));
  return [
    line("movements: transfers and payments", whole(of(TRANSFERS) + of(PAYMENTS))),
    count(TRANSFERS),
    ...["cashIn done", "cashIn refused", "cashOut done", "cashOut refused"].map(count),
    moved("cashIn"),
    moved("cashOut"),
    ...["page received done", "page received refused", "page received unknown", "page received nothing"].map(count),
    ...[count(PAYMENTS), ...all(PAYMENT)],
    ...[CLAIMS, HELD, "games", "won less staked", "hand pays", "stories", "deeds"].map(count),
    line("virtual time", hours(of("virtual seconds"))),
    ...[count("statements"), count("steps"), line("faults put in", whole(of("faults")))],
    ...all(FAULT),
    line("lost", "0"),
    line("doubled", "0"),
    line("sum of all accounts, each story", "0"),
    line("open holds, undecided transfers, held seats", "0"),
  ];
}
