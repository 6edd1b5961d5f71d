import pino from "pino";
import { expect, test } from "vitest";
import { manualClock } from "../../testing/manual-clock.ts";
import { Alarms } from "./alarms.ts";

test("the same alarm of the same subject is told once a minute, others at once", () => {
  const lines: string[] = [];
  const clock = manualClock();
  const alarms = new Alarms({ clock, log: pino({}, { write: (line: string) => void lines.push(line) }) });
  const raise = (subject: string) => alarms.raise("transfer", subject, { subject }, "needs staff");
  raise("tr_1");
  raise("tr_1");
  raise("tr_2");
  clock.advance(59_999);
  raise("tr_1");
  expect(lines.map((line) => JSON.parse(line).subject)).toEqual(["tr_1", "tr_2"]);
  clock.advance(1);
  raise("tr_1");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { alarm: "transfer" },
    {},
    { subject: "tr_1", msg: "needs staff" },
  ]);
});
