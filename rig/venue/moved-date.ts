import { readFileSync } from "node:fs";

/*
 * Runs first in each program of a venue whose clock is moved: its `Date` is as far ahead as the file of its address says. What counts by the
 * monotonic clock, as the agent does, is as far ahead as it was at the start.
 */

const file = new URL(import.meta.url).searchParams.get("file") ?? "";
const LOOK_MS = 20;
let aheadMs = Number(readFileSync(file, "utf8"));
setInterval(() => {
  aheadMs = Number(readFileSync(file, "utf8"));
}, LOOK_MS).unref();

const timeOrigin = performance.timeOrigin + aheadMs;
Object.defineProperty(performance, "timeOrigin", { value: timeOrigin });

const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, self) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now() + aheadMs] : given, self),
  get: (target, key, self) => (key === "now" ? () => RealDate.now() + aheadMs : Reflect.get(target, key, self)),
});
