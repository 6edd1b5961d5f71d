import { expect, test } from "vitest";
import { Habits, isRead, isTimeless } from "./habits.ts";

const LOCK = 'select * from "seat" where "machine_id" = $1 for update';
const FACTS = "select credit from machine where address = $1 and id = $2";
const OPEN = "select * from machine_transfer where machine_id = any($1) limit $2";
const UPDATE = 'update "seat" set "state" = $1';

function transaction(habits: Habits, id: string, ...more: string[]): void {
  habits.restart();
  habits.follow({ text: LOCK, values: [id] });
  habits.follow({ text: FACTS, values: [`machine:${id}`, id] });
  for (const text of more) habits.follow({ text, values: text === OPEN ? [[id], 1] : ["free"] });
}

test("guesses the reads that have followed, with the values of this transaction", () => {
  const habits = new Habits();
  for (const id of ["m1", "m2", "m3", "m4"]) transaction(habits, id, OPEN, UPDATE);
  habits.restart();
  habits.follow({ text: LOCK, values: ["m9"] });
  expect(habits.guesses()).toEqual([
    { text: FACTS, values: ["machine:m9", "m9"] },
    { text: OPEN, values: [["m9"], 1] },
  ]);
});

test("guesses nothing that is new, that differs too often, or whose values come from elsewhere", () => {
  const habits = new Habits();
  habits.follow({ text: LOCK, values: ["m1"] });
  expect(habits.guesses()).toEqual([]);
  for (const id of ["m1", "m2", "m3", "m4"]) transaction(habits, id, id < "m3" ? OPEN : UPDATE);
  habits.restart();
  habits.follow({ text: LOCK, values: ["m5"] });
  expect(habits.guesses().map(({ text }) => text)).toEqual([FACTS]);
  for (let turn = 0; turn < 9; turn += 1) {
    habits.restart();
    habits.follow({ text: OPEN, values: [["m1"], 1] });
    habits.follow({ text: FACTS, values: [`machine:${turn}`, "of an answer"] });
  }
  habits.restart();
  habits.follow({ text: OPEN, values: [["m1"], 1] });
  expect(habits.guesses()).toEqual([]);
});

test("only what changes and locks nothing is a read, and only what knows no time is timeless", () => {
  for (const text of [LOCK, UPDATE, "select * from ledger.hold($1)", "select set_config($1, $2, true)"])
    expect(isRead(text)).toBe(false);
  for (const text of [FACTS, OPEN, " select balance_minor from ledger.accounts"]) expect(isRead(text)).toBe(true);
  expect(isTimeless(FACTS)).toBe(true);
  expect(isTimeless("select 1 where until > clock_timestamp()")).toBe(false);
});
