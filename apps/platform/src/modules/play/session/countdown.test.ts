import { expect, test } from "vitest";
import { manualClock } from "../../../testing/manual-clock.ts";
import { CountdownPush } from "./game-socket.ts";

function teller() {
  const clock = manualClock();
  const told: string[] = [];
  return { clock, told, countdown: new CountdownPush(clock, ({ code, count }) => told.push(`${code} ${count}`)) };
}

test("tells the seconds left once a second, down to 0, whatever the first part of a second is", () => {
  const { clock, told, countdown } = teller();
  countdown.show({ code: "CODE_18800", leftMs: 2_300 });
  clock.advance(10_000);
  expect(told).toEqual(["CODE_18800 3", "CODE_18800 2", "CODE_18800 1", "CODE_18800 0"]);
});

test("one that is over early is told as 0, once; a new one takes its place", () => {
  const { clock, told, countdown } = teller();
  countdown.show({ code: "CODE_18800", leftMs: 60_000 });
  clock.advance(1_000);
  countdown.show({ code: "CODE_18802", leftMs: 60_000 });
  countdown.show(null);
  countdown.show(null);
  clock.advance(60_000);
  expect(told).toEqual(["CODE_18800 60", "CODE_18800 59", "CODE_18800 0", "CODE_18802 60", "CODE_18802 0"]);
});

test("the same countdown shown again tells no second twice, and one that began anew goes up", () => {
  const { clock, told, countdown } = teller();
  countdown.show({ code: "CODE_18802", leftMs: 3_000 });
  countdown.show({ code: "CODE_18802", leftMs: 2_990 });
  clock.advance(1_000);
  countdown.show({ code: "CODE_18802", leftMs: 5_000 });
  expect(told).toEqual(["CODE_18802 3", "CODE_18802 2", "CODE_18802 5"]);
});
